//! What clients lose, the findings by rule, and what was not read.

use super::Cx;
use super::escape::{code, prose};
use crate::report::layout::plural;
use crate::report::scan::SkipReason;
use crate::report::verdict::as_sentence;
use crate::report::words;
use crate::rules::{self, Rule};

/// As many paths of a reason are named.
const FEW: usize = 10;

/// What clients no longer get, by the rule that finds it.
const LOSSES: &[(&str, &str)] = &[
    (
        "session-transport-setup",
        "The stream that GET opens, and ending a session with DELETE: both are answered with 405",
    ),
    (
        "server-initiated-request",
        "Requests that the server sends while a call runs: they become `input_required` answers",
    ),
    ("stream-resumability", "Resuming a stream that broke: the client sends its request again"),
    ("session-dependent-list", "Lists that change with earlier calls: everything is listed always"),
    (
        "stateless-capability",
        "Messages outside a call: they need `subscriptions/listen` on an SDK that speaks 2026-07-28",
    ),
];

/// One line for each loss that applies, with its places.
pub fn loss_lines(cx: &Cx<'_>) -> Vec<String> {
    LOSSES
        .iter()
        .filter_map(|(rule, text)| {
            let places: Vec<String> =
                cx.of_rule(rule).iter().map(|f| cx.line(&f.path, f.start.line)).take(FEW).collect();
            (!places.is_empty()).then(|| format!("- {text} ({}).\n", places.join(", ")))
        })
        .collect()
}

/// The section of what clients lose.
pub fn losses(cx: &Cx<'_>) -> Option<String> {
    let lines = loss_lines(cx);
    (!lines.is_empty()).then(|| format!("\n## What clients lose\n\n{}", lines.concat()))
}

/// One part for each rule that found something, the most severe first.
pub fn by_rule(cx: &Cx<'_>) -> Vec<String> {
    let mut rules = rules::ALL.to_vec();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.severity));
    let mut parts: Vec<String> = rules.iter().filter_map(|rule| of(cx, rule)).collect();
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, "\n## Findings\n");
    }
    parts
}

fn of(cx: &Cx<'_>, rule: &Rule) -> Option<String> {
    let findings = cx.of_rule(rule.name);
    let first = findings.first()?;
    let mut out = format!("\n### `{}` ({}): {}\n\n", rule.name, words::severity(first.severity), prose(rule.summary));
    // The same advice is given once.
    let same = findings.iter().all(|f| f.advice == first.advice);
    for finding in &findings {
        out.push_str(&format!(
            "- {}: {}",
            cx.line(&finding.path, finding.start.line),
            prose(&as_sentence(&finding.message))
        ));
        if !same && !finding.advice.is_empty() {
            out.push_str(&format!(" {}", prose(&as_sentence(&finding.advice))));
        }
        out.push('\n');
    }
    if same && !first.advice.is_empty() {
        out.push_str(&format!("\n{}\n", prose(&as_sentence(&first.advice))));
    }
    Some(out)
}

/// What was not read, by reason.
pub fn not_read(cx: &Cx<'_>) -> Option<String> {
    let mut lines = Vec::new();
    for reason in SkipReason::ALL {
        let counted = |path: &str| cx.scan.unsupported.iter().any(|u| u.path == path);
        let of: Vec<&str> = cx
            .scan
            .skipped
            .iter()
            .filter(|s| s.reason == *reason && !(*reason == SkipReason::UnsupportedLanguage && counted(&s.path)))
            .map(|s| s.path.as_str())
            .collect();
        if of.is_empty() {
            continue;
        }
        let names: Vec<String> = of.iter().take(FEW).map(|path| code(&cx.base.path(path))).collect();
        let more = match of.len().saturating_sub(FEW) {
            0 => String::new(),
            n => format!(", {n} more"),
        };
        lines.push(format!("- {}: {}{more}\n", reason.words(), names.join(", ")));
    }
    for language in &cx.scan.unsupported {
        lines.push(format!(
            "- {}, not supported yet: {} ({})\n",
            prose(&language.language),
            plural(language.files as usize, "file"),
            code(&cx.base.path(&language.path))
        ));
    }
    (!lines.is_empty()).then(|| format!("\n## Not read\n\n{}", lines.concat()))
}
