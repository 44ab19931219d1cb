//! The list of rules.

use serde::Serialize;

use super::layout::table;
use super::style::Style;
use super::words;
use crate::rules::finding::Severity;
use crate::rules::{Level, Rule};

/// The rules as a table: name, severity, one line.
pub fn text(rules: &[&Rule], style: Style) -> String {
    let rows: Vec<Vec<String>> = rules
        .iter()
        .map(|r| vec![r.name.to_owned(), words::severity(r.severity).to_owned(), style.text(r.summary)])
        .collect();
    let mut out = String::new();
    table(&mut out, style, "", &["rule", "severity", "what it finds"], &rows);
    out
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    level: Level,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    rules: Vec<Entry>,
}

/// The rules as JSON (`mcp-migrate/rules/v1`).
pub fn json(rules: &[&Rule]) -> String {
    let document = Document {
        schema: "mcp-migrate/rules/v1",
        rules: rules
            .iter()
            .map(|r| Entry { name: r.name, severity: r.severity, summary: r.summary, level: r.docs.level })
            .collect(),
    };
    let mut out = serde_json::to_string_pretty(&document).expect("rules have only string keys");
    out.push('\n');
    out
}
