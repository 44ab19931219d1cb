//! The documentation of one rule.

use super::layout::wrap;
use super::style::Style;
use super::words;
use crate::rules::Rule;

/// Renders the documentation of a rule as text with headings.
pub fn render(rule: &Rule, style: Style) -> String {
    let docs = &rule.docs;
    let mut out = format!(
        "{} {}\n",
        style.bold(rule.name),
        style.severity(rule.severity, &format!("({})", words::severity(rule.severity)))
    );
    paragraphs(&mut out, style, &format!("{}.", rule.summary));
    heading(&mut out, style, "What it finds");
    paragraphs(&mut out, style, docs.finds);
    heading(&mut out, style, "Why it matters");
    paragraphs(&mut out, style, docs.why);
    for example in docs.examples {
        heading(&mut out, style, &format!("Example ({})", example.language));
        code(&mut out, style, "Found:", example.bad);
        out.push('\n');
        code(&mut out, style, "Better:", example.good);
    }
    heading(&mut out, style, "The migration");
    paragraphs(&mut out, style, docs.migration);
    heading(&mut out, style, "Fix safety");
    paragraphs(&mut out, style, &format!("Level: {}. {}", docs.level.id(), docs.safety));
    heading(&mut out, style, "Specification");
    for reference in docs.references {
        wrap(&mut out, style, &format!("{} ", style.bullet()), "  ", reference);
    }
    out
}

fn heading(out: &mut String, style: Style, title: &str) {
    out.push('\n');
    out.push_str(&style.heading(&format!("## {title}")));
    out.push('\n');
}

fn paragraphs(out: &mut String, style: Style, text: &str) {
    for (i, paragraph) in text.split("\n\n").enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut plain = String::new();
        wrap(&mut plain, style, "", "", paragraph);
        out.push_str(&code_spans(&plain, style));
    }
}

/// Paints what stands in backquotes. A span may run over the end of a line; the colour then stops at the break.
fn code_spans(text: &str, style: Style) -> String {
    if !style.color {
        return text.to_owned();
    }
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 0 {
            out.push_str(part);
        } else {
            let lines: Vec<String> = part.split('\n').map(|l| style.code(l)).collect();
            out.push_str(&lines.join("\n"));
        }
    }
    out
}

fn code(out: &mut String, style: Style, title: &str, text: &str) {
    out.push_str(&style.dim(title));
    out.push('\n');
    for line in text.trim_matches('\n').lines() {
        if line.is_empty() {
            out.push('\n');
        } else {
            out.push_str("    ");
            out.push_str(&style.text(line));
            out.push('\n');
        }
    }
}

/// Renders the documentation of a rule as Markdown.
pub fn markdown(rule: &Rule) -> String {
    let docs = &rule.docs;
    let mut out = format!("{}\n", docs.finds);
    out.push_str(&format!("\n## Why it matters\n\n{}\n", docs.why));
    for example in docs.examples {
        let tag = example.language.to_lowercase();
        out.push_str(&format!("\n## Example ({})\n", example.language));
        for (title, code) in [("Found:", example.bad), ("Better:", example.good)] {
            out.push_str(&format!("\n{title}\n\n```{tag}\n{}\n```\n", code.trim_matches('\n')));
        }
    }
    out.push_str(&format!("\n## The migration\n\n{}\n", docs.migration));
    out.push_str(&format!("\n## Fix safety\n\nLevel: {}. {}\n", docs.level.id(), docs.safety));
    out.push_str("\n## Specification\n\n");
    for reference in docs.references {
        out.push_str(&format!("- {reference}\n"));
    }
    out
}
