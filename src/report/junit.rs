//! JUnit XML: a test suite for each rule that found something in a server, a test case for each finding.

use super::places::Places;
use super::scan::{Scan, Tool};
use super::verdict::as_sentence;
use super::words;
use crate::rules;
use crate::rules::finding::{Finding, Severity};

/// A suite: its name and its cases as XML, with how many of them failed and were skipped.
struct Suite {
    name: String,
    cases: String,
    tests: usize,
    failures: usize,
    skipped: usize,
}

/// The document. A server without findings is a suite with one passing case; a note is a skipped case, since it fails nothing.
pub fn render(scan: &Scan, places: &Places<'_>) -> String {
    let suites = suites(scan, places);
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" \
         errors=\"0\">\n",
        Tool::THIS.name,
        sum(|s| s.tests),
        sum(|s| s.failures),
        sum(|s| s.skipped),
    );
    for suite in &suites {
        out.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"0\">\n{}  </testsuite>\n",
            escape(&suite.name),
            suite.tests,
            suite.failures,
            suite.skipped,
            suite.cases
        ));
    }
    out.push_str("</testsuites>\n");
    out
}

fn suites(scan: &Scan, places: &Places<'_>) -> Vec<Suite> {
    let servers = scan.servers.iter().map(|s| s.path.as_str()).chain(scan.findings.iter().map(|f| f.server.as_str()));
    let mut paths: Vec<&str> = Vec::new();
    for path in servers {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut out = Vec::new();
    for path in paths {
        let before = out.len();
        for rule in rules::ALL {
            let of = |f: &&Finding| f.server == path && f.rule == rule.name;
            let findings: Vec<&Finding> = scan.findings.iter().filter(of).collect();
            if !findings.is_empty() {
                out.push(suite(path, rule.name, &findings, places));
            }
        }
        if out.len() == before {
            let cases = format!("    <testcase classname=\"{}\" name=\"no findings\"/>\n", Tool::THIS.name);
            out.push(Suite { name: path.to_owned(), cases, tests: 1, failures: 0, skipped: 0 });
        }
    }
    out
}

fn suite(server: &str, rule: &str, findings: &[&Finding], places: &Places<'_>) -> Suite {
    let notes = findings.iter().filter(|f| f.severity == Severity::Note).count();
    Suite {
        name: format!("{server} / {rule}"),
        cases: findings.iter().map(|finding| case(finding, places)).collect(),
        tests: findings.len(),
        failures: findings.len() - notes,
        skipped: notes,
    }
}

fn case(finding: &Finding, places: &Places<'_>) -> String {
    let path = places.path(&finding.path);
    let place = format!("{path}:{}:{}", finding.start.line, finding.start.column);
    let message = as_sentence(&finding.message);
    let mut out = format!(
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\">\n",
        escape(finding.rule),
        escape(&place),
        escape(&path),
        finding.start.line
    );
    if finding.severity == Severity::Note {
        out.push_str(&format!("      <skipped message=\"{}\"/>\n", escape(&message)));
    } else {
        let mut text = format!("{place}\n{message}\n");
        if !finding.advice.is_empty() {
            text.push_str(&as_sentence(&finding.advice));
            text.push('\n');
        }
        for related in &finding.related {
            let at = &related.at;
            text.push_str(&format!("{}:{}:{} {}\n", places.path(&at.path), at.line, at.column, related.message));
        }
        out.push_str(&format!(
            "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
            words::severity(finding.severity),
            escape(&message),
            escape_text(&text)
        ));
    }
    out.push_str("    </testcase>\n");
    out
}

/// Escapes an attribute's value: also what a parser would turn into a blank.
fn escape(text: &str) -> String {
    escape_text(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Escapes text. What XML 1.0 can't hold becomes the replacement character.
fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(escape_text("a<b>&\u{1b}[1m\r\n"), "a&lt;b&gt;&amp;\u{fffd}[1m&#13;\n");
        assert_eq!(escape("\"x\"\n\t\u{0}\u{ffff}\u{1f600}"), "&quot;x&quot;&#10;&#9;\u{fffd}\u{fffd}\u{1f600}");
    }
}
