//! Workflow commands of GitHub Actions: annotations beside the code.

use super::layout::plural;
use super::places::Places;
use super::scan::Scan;
use super::verdict::{as_sentence, most_severe_first};
use super::words;
use crate::rules::finding::{Finding, Severity};

/// Annotations of one level that GitHub keeps per step; it drops the others without a word.
pub const MOST: usize = 10;

/// One annotation a line, the most severe first; where some do not fit, the last line says how many.
pub fn render(scan: &Scan, places: &Places<'_>) -> String {
    let total = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| (severity, scan.count(severity)));
    // The line that says what was left out is itself a notice.
    let full = total.iter().any(|(_, n)| *n > MOST);
    let room = |severity| if full && severity == Severity::Note { MOST - 1 } else { MOST };
    let mut out = String::new();
    let mut shown = total.map(|(severity, _)| (severity, 0));
    for finding in most_severe_first(scan) {
        let of = shown.iter_mut().find(|(severity, _)| *severity == finding.severity);
        if let Some((severity, n)) = of.filter(|(severity, n)| *n < room(*severity)) {
            *n += 1;
            out.push_str(&annotation(finding, *severity, places));
        }
    }
    let hidden: Vec<String> = total
        .iter()
        .zip(&shown)
        .map(|((severity, total), (_, shown))| (severity, total - shown))
        .filter(|(_, n)| *n > 0)
        .map(|(severity, n)| plural(n, words::severity(*severity)))
        .collect();
    if !hidden.is_empty() {
        let text = format!(
            "Not shown here: {}. A step keeps {MOST} annotations of each level; `mcp-migrate scan` shows every finding.",
            hidden.join(", ")
        );
        out.push_str(&format!("::notice title=mcp-migrate::{}\n", data(&text)));
    }
    out
}

fn annotation(finding: &Finding, severity: Severity, places: &Places<'_>) -> String {
    let level = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let region = places.of(finding);
    let (start, end) = (region.start, region.end);
    let mut properties =
        format!("file={},line={},endLine={}", property(&places.path(&finding.path)), start.line, end.line);
    // GitHub refuses columns where the lines differ.
    if start.line == end.line {
        properties.push_str(&format!(",col={},endColumn={}", start.utf16, end.utf16));
    }
    let mut text = as_sentence(&finding.message);
    if !finding.advice.is_empty() {
        text.push('\n');
        text.push_str(&as_sentence(&finding.advice));
    }
    format!("::{level} {properties},title={}::{}\n", property(finding.rule), data(&text))
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(data("50%\r\na: b, c"), "50%25%0D%0Aa: b, c");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
        assert_eq!(property("src/\u{1f600}.ts"), "src/\u{1f600}.ts");
    }
}
