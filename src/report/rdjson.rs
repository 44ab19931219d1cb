//! The diagnostic format of reviewdog. Its columns count bytes of UTF-8.

use std::collections::HashSet;

use serde::Serialize;

use super::edits::{Edit, Edits};
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
pub fn render(scan: &Scan, edits: &Edits, places: &Places<'_>) -> String {
    // Findings of one group share its edit, which can be applied once.
    let mut told = HashSet::new();
    let mut suggested = |finding: &Finding| {
        let suggestion = suggestion(finding, edits.of(finding)?, places)?;
        told.insert(&edits.of(finding)?.group).then_some(suggestion)
    };
    let document = Document {
        source: Source { name: Tool::THIS.name },
        severity: scan.worst().map_or("INFO", severity),
        diagnostics: scan.findings.iter().map(|finding| diagnostic(finding, suggested(finding), places)).collect(),
    };
    let mut out = serde_json::to_string_pretty(&document).expect("diagnostics have only string keys");
    out.push('\n');
    out
}

fn diagnostic(finding: &Finding, suggestion: Option<Suggestion>, places: &Places<'_>) -> Diagnostic {
    let mut message = as_sentence(&finding.message);
    if !finding.advice.is_empty() {
        message.push(' ');
        message.push_str(&as_sentence(&finding.advice));
    }
    Diagnostic {
        message,
        location: Location { path: places.path(&finding.path), range: range(&places.of(finding)) },
        severity: severity(finding.severity),
        code: Code { value: finding.rule },
        suggestions: suggestion.into_iter().collect(),
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

/// A suggestion is applied alone and belongs to the file of its diagnostic: all parts of an edit, with what stands between them,
/// are one. An edit of several files can't be one.
fn suggestion(finding: &Finding, edit: &Edit, places: &Places<'_>) -> Option<Suggestion> {
    let parts = &edit.replacements;
    let (first, last) = (parts.first()?, parts.last()?);
    if !edit.new_files.is_empty() || parts.iter().any(|part| part.path != finding.path) {
        return None;
    }
    let mut text = first.text.clone();
    for pair in parts.windows(2) {
        text.push_str(&places.between(&finding.path, pair[0].end, pair[1].start).text?);
        text.push_str(&pair[1].text);
    }
    let whole = places.between(&finding.path, first.start, last.end);
    whole.text.as_ref()?;
    Some(Suggestion { range: range(&whole), text })
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
