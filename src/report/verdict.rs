//! The verdict of a scan and its counts, in words that several formats share.

use super::layout::plural;
use super::scan::Scan;
use super::words;
use crate::classify::answer::Role;
use crate::rules::finding::{Finding, Severity};

/// The verdict: the category, what it means, how common it is.
pub fn sentence(scan: &Scan) -> String {
    let Some(category) = scan.summary.category else { return no_server(scan) };
    let subject = match scan.summary.servers {
        1 => String::new(),
        n => format!(" It is the most severe of {n} servers."),
    };
    format!(
        "{category}: {}. Of the 1000 server repositories surveyed for SEP-2567, {} % are like this.{subject}",
        words::category(category),
        words::share(category),
    )
}

fn no_server(scan: &Scan) -> String {
    let read = match scan.summary.files.walked {
        0 => "no file in a supported language".to_owned(),
        n => plural(n as usize, "file"),
    };
    if scan.servers.iter().any(|s| s.role == Role::Client) {
        format!("No MCP server found, only MCP clients ({read}).")
    } else {
        format!("No MCP server found ({read}).")
    }
}

/// `4 errors, 2 warnings`; empty where nothing was found.
pub fn counts(scan: &Scan) -> String {
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter(|s| scan.count(*s) > 0)
        .map(|s| plural(scan.count(s), words::severity(s)))
        .collect();
    counts.join(", ")
}

/// The findings, the most severe first, else in the order of the scan.
pub fn most_severe_first(scan: &Scan) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = scan.findings.iter().collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    findings
}

/// Text on one line: runs of white space and control characters become one blank.
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with a capital at its start and a full stop at its end.
pub fn as_sentence(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut chars = text.trim().chars();
    out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
    out.push_str(chars.as_str());
    if !out.is_empty() && !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
