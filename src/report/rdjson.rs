//! The diagnostic format of reviewdog. Its columns count bytes of UTF-8.

use serde::Serialize;

use super::edits::{self, Replacement};
use super::places::{Places, Region, Spot};
use super::scan::{Scan, Tool};
use super::verdict::as_sentence;
use crate::rules::finding::{Finding, Severity};

#[derive(Serialize)]
struct Document {
    source: Source,
    severity: &'static str,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related>,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct Related {
    message: String,
    location: Location,
}

/// One JSON document with a diagnostic per finding.
pub fn render(scan: &Scan, places: &Places<'_>) -> String {
    let document = Document {
        source: Source { name: Tool::THIS.name },
        severity: scan.worst().map_or("INFO", severity),
        diagnostics: scan.findings.iter().map(|finding| diagnostic(finding, places)).collect(),
    };
    let mut out = serde_json::to_string_pretty(&document).expect("diagnostics have only string keys");
    out.push('\n');
    out
}

fn diagnostic(finding: &Finding, places: &Places<'_>) -> Diagnostic {
    let mut message = as_sentence(&finding.message);
    if !finding.advice.is_empty() {
        message.push(' ');
        message.push_str(&as_sentence(&finding.advice));
    }
    let edits = edits::of(finding);
    Diagnostic {
        message,
        location: Location { path: places.path(&finding.path), range: range(&places.of(finding)) },
        severity: severity(finding.severity),
        code: Code { value: finding.rule },
        suggestions: edits.iter().flat_map(|edit| suggestions(finding, &edit.replacements, places)).collect(),
        related_locations: finding
            .related
            .iter()
            .map(|related| Related {
                message: related.message.clone(),
                location: Location { path: places.path(&related.at.path), range: range(&places.word(&related.at)) },
            })
            .collect(),
    }
}

/// A suggestion is applied alone and belongs to the file of its diagnostic: an edit of several places can't be one.
fn suggestions(finding: &Finding, replacements: &[Replacement], places: &Places<'_>) -> Vec<Suggestion> {
    match replacements {
        [one] if one.path == finding.path => {
            let region = places.between(&one.path, one.start, one.end);
            vec![Suggestion { range: range(&region), text: one.text.clone() }]
        }
        _ => Vec::new(),
    }
}

fn range(region: &Region) -> Range {
    let position = |spot: Spot| Position { line: spot.line, column: spot.utf8 };
    Range { start: position(region.start), end: position(region.end) }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}
