//! The code quality report of GitLab.

use std::collections::HashMap;

use serde::Serialize;

use super::places::Places;
use super::scan::Scan;
use super::verdict::as_sentence;
use crate::rules::finding::Severity;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// A JSON array with an issue per finding; `[]` where there is none.
pub fn render(scan: &Scan, places: &Places<'_>) -> String {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let issues: Vec<Issue> = scan
        .findings
        .iter()
        .map(|finding| {
            // The second of two equal fingerprints would be lost.
            let times = seen.entry(&finding.fingerprint).or_default();
            *times += 1;
            let fingerprint = match *times {
                1 => finding.fingerprint.clone(),
                n => format!("{}-{n}", finding.fingerprint),
            };
            Issue {
                description: as_sentence(&finding.message),
                check_name: finding.rule,
                fingerprint,
                severity: severity(finding.severity),
                location: Location {
                    path: places.path(&finding.path),
                    lines: Lines { begin: finding.start.line, end: finding.end.line },
                },
            }
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&issues).expect("issues have only string keys");
    out.push('\n');
    out
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    }
}
