//! `mcp-migrate/scan-lines/v1`: the scan as JSON lines, for programs that read a stream. The parts are those of
//! `mcp-migrate/scan/v1`.

use serde::Serialize;

use super::scan::{Scan, Summary, Tool};

/// The schema id that each line carries.
pub const SCHEMA: &str = "mcp-migrate/scan-lines/v1";

/// The published JSON Schema of a line.
pub const SCHEMA_TEXT: &str = include_str!("../../schemas/scan-lines-v1.schema.json");

#[derive(Serialize)]
struct Head<'a> {
    tool: &'a Tool,
    spec: &'static str,
    root: &'a str,
    summary: &'a Summary,
}

#[derive(Serialize)]
struct Line<'a, T: Serialize> {
    schema: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    part: &'a T,
}

/// The summary first, then servers, findings and files that were not read; one object a line.
pub fn render(scan: &Scan) -> String {
    let mut out = String::new();
    let head = Head { tool: &scan.tool, spec: scan.spec, root: &scan.root, summary: &scan.summary };
    lines(&mut out, "summary", [&head]);
    lines(&mut out, "server", &scan.servers);
    lines(&mut out, "finding", &scan.findings);
    lines(&mut out, "skipped", &scan.skipped);
    out
}

fn lines<'a, T: Serialize + 'a>(out: &mut String, kind: &'static str, parts: impl IntoIterator<Item = &'a T>) {
    for part in parts {
        let line = Line { schema: SCHEMA, kind, part };
        out.push_str(&serde_json::to_string(&line).expect("an answer has only string keys and finite numbers"));
        out.push('\n');
    }
}
