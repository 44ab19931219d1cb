//! `mcp-migrate/scan/v1`: the scan for programs. Fields are only ever added; what is not known is `null`.

use serde::Serialize;

use super::scan::Scan;

/// The schema id that stands at the head of every document.
pub const SCHEMA: &str = "mcp-migrate/scan/v1";

/// The published JSON Schema of the document.
pub const SCHEMA_TEXT: &str = include_str!("../../schemas/scan-v1.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    scan: &'a Scan,
}

/// The document, indented, with a line feed at its end.
pub fn render(scan: &Scan) -> String {
    let document = Document { schema: SCHEMA, scan };
    let mut out = serde_json::to_string_pretty(&document).expect("an answer has only string keys and finite numbers");
    out.push('\n');
    out
}
