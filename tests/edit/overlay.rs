//! A scan that reads through an overlay sees what is not written yet, and a walk does not see what a run prepares.

use mcp_migrate::edit::Overlay;
use mcp_migrate::report::scan::Scan;
use mcp_migrate::{ScanOptions, Silent, scan};

use super::support::{folder, put};

const MANIFEST: &str = r#"{"name": "cart", "dependencies": {"@modelcontextprotocol/sdk": "^1.20.0"}}"#;
const SERVER: &str = r#"
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { baskets } from "./state.js";
const server = new McpServer({ name: "cart", version: "1.0.0" });
server.registerTool("add", {}, async (extra) => {
  const items = baskets.get(extra.sessionId!) ?? [];
  items.push("sku");
  baskets.set(extra.sessionId!, items);
  return { content: [{ type: "text", text: `${items.length} items` }] };
});
await server.connect(new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() }));
"#;
const STATE: &str = "export const baskets = new Map<string, string[]>();\n";
const CLEAN: &str = "import { McpServer } from \"@modelcontextprotocol/sdk/server/mcp.js\";\n\
                     export const server = new McpServer({ name: \"cart\", version: \"1.0.0\" });\n";

fn scanned(root: &std::path::Path, overlay: Overlay) -> Scan {
    let options = ScanOptions { paths: vec![root.to_owned()], overlay, ..ScanOptions::default() };
    scan(&options, &Silent).expect("scans")
}

fn answer(scan: &Scan) -> serde_json::Value {
    let mut json = serde_json::to_value(scan).expect("serialises");
    json["root"] = serde_json::Value::Null;
    json
}

#[test]
fn a_changed_and_a_new_file_are_seen_as_if_they_were_written() {
    let dir = folder(&[("package.json", MANIFEST), ("src/server.ts", CLEAN)]);
    assert!(scanned(dir.path(), Overlay::default()).findings.is_empty());
    let mut overlay = Overlay::default();
    overlay.change("src/server.ts", format!("\u{feff}{SERVER}"));
    overlay.create("src/state.ts", STATE);
    let seen = scanned(dir.path(), overlay);
    assert!(seen.findings.iter().any(|finding| finding.rule == "session-keyed-state"), "{:?}", seen.findings);
    put(dir.path(), "src/server.ts", &format!("\u{feff}{SERVER}"));
    put(dir.path(), "src/state.ts", STATE);
    assert_eq!(answer(&seen), answer(&scanned(dir.path(), Overlay::default())));
}

#[test]
fn manifests_are_read_through_the_overlay_too() {
    let dir = folder(&[("package.json", "{\"name\": \"x\"}"), ("src/server.ts", CLEAN)]);
    let mut overlay = Overlay::default();
    overlay.change("package.json", MANIFEST);
    let seen = scanned(dir.path(), overlay);
    put(dir.path(), "package.json", MANIFEST);
    assert_eq!(answer(&seen), answer(&scanned(dir.path(), Overlay::default())));
}

#[test]
fn new_tests_stay_out_of_a_scan_without_tests() {
    let dir = folder(&[("package.json", MANIFEST), ("src/server.ts", CLEAN)]);
    let mut overlay = Overlay::default();
    overlay.create("tests/server.test.ts", SERVER);
    assert_eq!(answer(&scanned(dir.path(), overlay)), answer(&scanned(dir.path(), Overlay::default())));
}

#[test]
fn what_a_run_prepares_is_not_walked() {
    let dir = folder(&[("package.json", MANIFEST), ("src/server.ts", CLEAN)]);
    let before = answer(&scanned(dir.path(), Overlay::default()));
    put(dir.path(), "src/.mcp-migrate-1-0.tmp", SERVER);
    put(dir.path(), ".mcp-migrate-journal", "{}");
    assert_eq!(before, answer(&scanned(dir.path(), Overlay::default())));
}
