//! Suppression comments: `mcp-migrate-allow: rule-name[, rule-name] -- reason`.

use std::collections::HashMap;

use super::Evidence;
use super::leftover::{self, Leftover};
use crate::model::facts::Span;
use crate::plan::Step;
use crate::report::scan::Scan;
use crate::rules::finding::{Finding, Position};
use crate::rules::{self, Rule, unused_allow};
use crate::syntax::comments::DIRECTIVE;
use crate::syntax::line_index::LineIndex;
use crate::syntax::source::SourceText;
use crate::workspace::{Tree, walk};

/// What a directive says.
#[derive(Clone, Debug)]
enum Said {
    /// It allows this rule, for this reason.
    Allows(&'static Rule, String),
    /// It can't be obeyed: why.
    Broken(String),
}

/// One rule named by a directive.
#[derive(Clone, Debug)]
struct Entry {
    said: Said,
    /// Byte range in the comment.
    start: usize,
    end: usize,
}

/// A comment of a file: the lines it speaks of, and what it says.
struct Allowance {
    path: String,
    /// The line whose findings it allows; `None` where no code follows.
    line: Option<u32>,
    /// The comment.
    text: String,
    /// Its bytes.
    span: Span,
    entries: Vec<(Entry, Position, Position, bool)>,
}

/// What comments make of findings.
pub(super) struct Heard {
    /// Those that count, with one for each comment that allows nothing.
    pub kept: Vec<Finding>,
    /// Those that a comment allows, with its reason.
    pub allowed: Vec<(Finding, String)>,
    /// What takes comments away that allow nothing.
    pub steps: Vec<Step>,
}

/// Takes out what comments allow, and adds a finding for each that allows nothing, with the step that takes it away.
///
/// `judged`: whether findings of a rule were looked for, so that an allowance without any is known to be unused.
pub(super) fn apply(scan: &Scan, evidence: &Evidence, findings: Vec<Finding>, judged: &dyn Fn(&Rule) -> bool) -> Heard {
    let mut allowances = read(&evidence.comments, &evidence.tree);
    let (mut kept, mut allowed) = (Vec::with_capacity(findings.len()), Vec::new());
    for finding in findings {
        let mut why: Option<String> = None;
        for allowance in allowances.iter_mut().filter(|a| a.path == finding.path && a.line == Some(finding.start.line))
        {
            for (entry, _, _, used) in &mut allowance.entries {
                if let Said::Allows(rule, reason) = &entry.said
                    && rule.name == finding.rule
                {
                    *used = true;
                    why.get_or_insert_with(|| reason.clone());
                }
            }
        }
        match why {
            Some(reason) => allowed.push((finding, reason)),
            None => kept.push(finding),
        }
    }
    let mut steps = Vec::new();
    let mut seen: HashMap<String, u32> = HashMap::new();
    for allowance in &allowances {
        let step = allowance.leftover(judged).map(leftover::step);
        let hint = step.as_ref().map(leftover::hint);
        let name = walk::lasting_name(&evidence.tree.root, &allowance.path);
        for (entry, start, end, used) in &allowance.entries {
            let (message, fix) = match &entry.said {
                // Whether it was meant for something is for a person to say.
                Said::Broken(why) => (why.clone(), None),
                Said::Allows(rule, _) if !used && judged(rule) => {
                    let message = match allowance.line {
                        Some(line) => {
                            format!("nothing on line {line} is found by `{}`, so this allows nothing", rule.name)
                        }
                        None => format!("no code follows, so this allows nothing of `{}`", rule.name),
                    };
                    (message, hint.clone())
                }
                Said::Allows(..) => continue,
            };
            let key = super::hash(&[unused_allow::RULE.name, &name, &allowance.text, &entry.start.to_string()]);
            let count = seen.entry(key.clone()).or_insert(0u32);
            *count += 1;
            let fingerprint = super::hash(&[&key, &count.to_string()]);
            kept.push(Finding { fix, ..unused(scan, &allowance.path, message, (*start, *end), fingerprint) });
        }
        steps.extend(step);
    }
    Heard { kept, allowed, steps }
}

impl Allowance {
    /// What of it allows nothing: all of it, or some of the names.
    fn leftover(&self, judged: &dyn Fn(&Rule) -> bool) -> Option<Leftover<'_>> {
        let stale = |(entry, _, _, used): &&(Entry, Position, Position, bool)| matches!(&entry.said, Said::Allows(rule, _) if !used && judged(rule));
        let names: Vec<(&'static str, Span)> = self
            .entries
            .iter()
            .filter(stale)
            .filter_map(|(entry, ..)| {
                let Said::Allows(rule, _) = &entry.said else { return None };
                let base = self.span.start as usize;
                Some((rule.name, Span::new(base + entry.start, base + entry.end)))
            })
            .collect();
        let line = self.entries.first()?.1.line;
        (!names.is_empty()).then(|| Leftover {
            path: &self.path,
            comment: self.span,
            line,
            whole: names.len() == self.entries.len(),
            names,
        })
    }
}

fn unused(scan: &Scan, path: &str, message: String, at: (Position, Position), fingerprint: String) -> Finding {
    let within = scan.servers.iter().filter(|server| crate::workspace::paths::is_within(path, &server.path));
    let server = within.max_by_key(|server| server.path.len()).map_or(".", |server| server.path.as_str());
    Finding {
        rule: unused_allow::RULE.name,
        severity: unused_allow::RULE.severity,
        server: server.to_owned(),
        path: path.to_owned(),
        start: at.0,
        end: at.1,
        related: Vec::new(),
        more: Vec::new(),
        failure: None,
        fix: None,
        fingerprint,
        advice: format!(
            "write `{DIRECTIVE}: rule-name -- reason` on the line or the one before it, or remove the comment"
        ),
        message,
    }
}

/// Reads the comments again, from the files that have any.
fn read(comments: &[(String, Span)], tree: &Tree) -> Vec<Allowance> {
    let mut files: HashMap<&str, Option<(SourceText, LineIndex)>> = HashMap::new();
    let mut out = Vec::new();
    for (path, span) in comments {
        let file = files.entry(path).or_insert_with(|| {
            let source = tree.overlay.read(path, &tree.root.join(path)).and_then(SourceText::decode).ok()?;
            let lines = LineIndex::new(&source.text);
            Some((source, lines))
        });
        let Some((source, lines)) = file else { continue };
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(comment) = source.text.get(start..end) else { continue };
        let position = |offset: usize| {
            let at = lines.chars(&source.text, offset);
            Position { line: at.line, column: at.column, byte: source.disk_offset(offset) as u32 }
        };
        let entries: Vec<_> = entries(comment)
            .into_iter()
            .map(|entry| (position(start + entry.start), position(start + entry.end), entry))
            .map(|(from, to, entry)| (entry, from, to, false))
            .collect();
        if !entries.is_empty() {
            let line = line_of(&source.text, lines, start, end);
            out.push(Allowance { path: path.clone(), line, text: comment.to_owned(), span: *span, entries });
        }
    }
    out
}

/// The line that a comment speaks of: its own behind code, else that of the next code.
fn line_of(text: &str, lines: &LineIndex, start: usize, end: usize) -> Option<u32> {
    let first = lines.line(start);
    let before = &text[lines.range(text, first)?.start..start];
    if !before.trim().is_empty() && before.trim() != "{" {
        return Some(first);
    }
    let after = lines.range(text, lines.line(end))?;
    let rest = text[end..after.end.max(end)].trim();
    if !rest.is_empty() && rest != "}" && !is_comment(rest) && !text[start..end].contains('\n') {
        // `/* … */ code`.
        return Some(first);
    }
    let mut line = lines.line(end.saturating_sub(1).max(start)) + 1;
    loop {
        let code = text[lines.range(text, line)?].trim();
        if !code.is_empty() && !is_comment(code) {
            return Some(line);
        }
        line += 1;
    }
}

/// Whether a line looks as if it held a comment alone: further directives and what goes on about a reason may stand between.
fn is_comment(line: &str) -> bool {
    let hash = line.starts_with('#') && !line.starts_with("#[") && !line.starts_with("#!");
    let private = line.starts_with('#') && line[1..].starts_with(|c: char| c.is_alphabetic() || c == '_');
    ["//", "/*", "*/", "* ", "{/*"].iter().any(|start| line.starts_with(start)) || line == "*" || (hash && !private)
}

/// What the directives of a comment say. A line of a comment is one only where it begins with the word.
fn entries(comment: &str) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in comment.split_inclusive('\n') {
        let body = line.trim_start_matches(|c: char| c.is_whitespace() || "/*#!".contains(c));
        let start = at + line.len() - body.len();
        at += line.len();
        let Some(rest) = body.strip_prefix(DIRECTIVE) else { continue };
        let rest = rest.trim_end();
        let rest = rest.strip_suffix("*/").unwrap_or(rest).trim_end();
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-') {
            continue;
        }
        directive(rest, start, &mut out);
    }
    out
}

/// What follows the word in one line.
fn directive(rest: &str, start: usize, out: &mut Vec<Entry>) {
    let word_end = start + DIRECTIVE.len();
    let whole = |why: String| Entry { said: Said::Broken(why), start, end: word_end + rest.len() };
    let Some(list) = rest.strip_prefix(':') else {
        out.push(whole("this names no rule, so it allows nothing".to_owned()));
        return;
    };
    let (names, reason) = match list.split_once("--") {
        Some((names, reason)) => (names, reason.trim()),
        None => (list, ""),
    };
    if names.trim().is_empty() {
        out.push(whole("this names no rule, so it allows nothing".to_owned()));
        return;
    }
    if reason.is_empty() {
        out.push(whole("this gives no reason, so it allows nothing; put one behind two hyphens".to_owned()));
        return;
    }
    let mut at = word_end + 1;
    for name in names.split(',') {
        let start = at + name.len() - name.trim_start().len();
        at += name.len() + 1;
        let name = name.trim();
        if name.is_empty() {
            continue;
        }
        let said = match rules::find(name) {
            Ok(rule) => Said::Allows(rule, reason.to_owned()),
            Err(unknown) => Said::Broken(unknown.to_string()),
        };
        out.push(Entry { said, start, end: start + name.len() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(comment: &str) -> Vec<Result<&'static str, String>> {
        let one = |entry: Entry| match entry.said {
            Said::Allows(rule, _) => Ok(rule.name),
            Said::Broken(why) => Err(why.split([',', ';']).next().unwrap_or_default().to_owned()),
        };
        entries(comment).into_iter().map(one).collect()
    }

    #[test]
    fn what_comments_say() {
        for comment in [
            "// mcp-migrate-allow: session-guard -- why",
            "# mcp-migrate-allow: session-guard -- why",
            "/* mcp-migrate-allow: session-guard -- why */",
            "/// mcp-migrate-allow:session-guard--why",
            "/**\n * About this.\n * mcp-migrate-allow: session-guard -- why\n */",
        ] {
            assert_eq!(said(comment), [Ok("session-guard")], "{comment}");
        }
        assert_eq!(
            said("// mcp-migrate-allow: session-guard, session-gateway -- why"),
            [Ok("session-guard"), Ok("session-gateway")]
        );
        let no_reason = || vec![Err("this gives no reason".to_owned())];
        assert_eq!(said("// mcp-migrate-allow: session-guard"), no_reason());
        assert_eq!(said("/* mcp-migrate-allow: session-guard -- */"), no_reason());
        let no_rule = || vec![Err("this names no rule".to_owned())];
        assert_eq!(said("// mcp-migrate-allow"), no_rule());
        assert_eq!(said("// mcp-migrate-allow: -- why"), no_rule());
        let unknown = Err("there is no rule named `session-gard`".to_owned());
        assert_eq!(said("// mcp-migrate-allow: session-gard -- why"), [unknown]);
        assert_eq!(said("// see mcp-migrate-allow: session-guard -- why"), []);
        assert_eq!(said("// mcp-migrate-allowed"), []);
    }

    #[test]
    fn entries_have_their_place() {
        let comment = "// mcp-migrate-allow: session-guard,  session-gateway -- why";
        let found = entries(comment);
        assert_eq!(&comment[found[0].start..found[0].end], "session-guard");
        assert_eq!(&comment[found[1].start..found[1].end], "session-gateway");
    }

    #[test]
    fn the_line_that_is_meant() {
        let line = |text: &str, comment: &str| {
            let start = text.find(comment).expect("there");
            line_of(text, &LineIndex::new(text), start, start + comment.len())
        };
        assert_eq!(line("a();\nb(); // X\nc();", "// X"), Some(2));
        assert_eq!(line("a();\n// X\nc();", "// X"), Some(3));
        assert_eq!(line("// X\n\n// more\n * and more\nc();", "// X"), Some(5));
        assert_eq!(line("/* X\n */\nc();", "/* X\n */"), Some(3));
        assert_eq!(line("/* X */ c();\nd();", "/* X */"), Some(1));
        assert_eq!(line("<p>\n  {/* X */}\n  {id}\n</p>", "/* X */"), Some(3));
        assert_eq!(line("# X\r\n# Y\r\nc()\r\n", "# X"), Some(3));
        assert_eq!(line("// X\n#[derive(Debug)]\nstruct A;", "// X"), Some(2));
        assert_eq!(line("// X\n#sessions = new Map();", "// X"), Some(2));
        assert_eq!(line("// X\n", "// X"), None);
        assert_eq!(line("// X", "// X"), None);
    }
}
