//! `mcp-migrate/fix/v1`: a fix for programs. Fields are only ever added; what is not known is `null`.

use serde::Serialize;

use super::fix::Fix;

/// The schema id that stands at the head of every document.
pub const SCHEMA: &str = "mcp-migrate/fix/v1";

/// The published JSON Schema of the document.
pub const SCHEMA_TEXT: &str = include_str!("../../schemas/fix-v1.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    fix: &'a Fix,
}

/// The document, indented, with a line feed at its end.
pub fn render(fix: &Fix) -> String {
    let document = Document { schema: SCHEMA, fix };
    let mut out = serde_json::to_string_pretty(&document).expect("an answer has only string keys and finite numbers");
    out.push('\n');
    out
}
