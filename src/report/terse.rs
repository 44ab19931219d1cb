//! The scan for coding agents: one line for the verdict, one for each finding. No colour, no wrapping, a fixed shape.

use super::layout::plural;
use super::places::Places;
use super::scan::Scan;
use super::verdict::{most_severe_first, one_line};
use super::words;
use crate::classify::answer::Category;
use crate::rules::finding::{Finding, Severity};

/// The verdict, then `path:line:column rule failure message -> advice`, the most severe first.
pub fn render(scan: &Scan, places: &Places<'_>) -> String {
    let mut out = verdict(scan);
    for finding in most_severe_first(scan) {
        out.push_str(&line(finding, places));
    }
    out
}

fn verdict(scan: &Scan) -> String {
    let summary = &scan.summary;
    let also: Vec<&str> = summary.categories.iter().filter(|c| Some(**c) != summary.category).map(|c| c.id()).collect();
    let category = match (summary.category.map(Category::id), also.as_slice()) {
        (None, _) => "no MCP server found".to_owned(),
        (Some(category), []) => category.to_owned(),
        (Some(category), also) => format!("{category} (also {})", also.join(", ")),
    };
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| plural(scan.count(severity), words::severity(severity)))
        .collect();
    let skipped = match scan.skipped.len() {
        0 => String::new(),
        n => format!("; {} not read", plural(n, "file")),
    };
    format!("{category}: {} in {}{skipped}\n", counts.join(", "), plural(summary.servers, "server"))
}

fn line(finding: &Finding, places: &Places<'_>) -> String {
    let failure = finding.failure.map_or("-", |failure| failure.id());
    let mut out = format!(
        "{}:{}:{} {} {failure} {}",
        one_line(&places.path(&finding.path)),
        finding.start.line,
        finding.start.column,
        finding.rule,
        one_line(&finding.message),
    );
    if !finding.advice.is_empty() {
        out.push_str(" -> ");
        out.push_str(&one_line(&finding.advice));
    }
    out.push('\n');
    out
}
