//! Where code only asks whether there is a session before it goes on to the session's state, there is nothing to do but to settle the
//! state: no advice tells anybody to pass a guard's key by an argument.

use std::fs;

use mcp_migrate::check::Policy;
use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::{FixOptions, prepare};
use mcp_migrate::pipeline::{ScanOptions, Silent};

const MANIFEST: &str =
    r#"{"name":"safe","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.26.0","zod":"^3.25.0"}}"#;

/// A guard, with a tool that does something of its own with an id besides.
fn server(more: &str) -> String {
    format!(
        "import {{ randomUUID }} from 'node:crypto';
import {{ createServer }} from 'node:http';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ z }} from 'zod';
const unlocked = new Map<string, boolean>();
const isOpen = (id: string | undefined) => id !== undefined && unlocked.get(id) === true;
export function buildServer() {{
  const server = new McpServer({{ name: 'safe', version: '1.0.0' }});
  server.registerTool('unlock', {{ inputSchema: {{ pin: z.string() }} }}, async ({{ pin }}, extra) => {{
    if (!extra.sessionId) throw new Error('no session');
    if (pin !== process.env.PIN) throw new Error('no');
    unlocked.set(extra.sessionId, true);
    return {{ content: [] }};
  }});
  server.registerTool('look', {{ description: 'Looks' }}, async (extra) => {{
    if (!isOpen(extra.sessionId)) throw new Error('closed');
    return {{ content: [{{ type: 'text', text: 'gold' }}] }};
  }});
  server.registerTool('lock', {{ description: 'Locks' }}, async (extra) => {{
    if (extra.sessionId) unlocked.set(extra.sessionId, false);
    return {{ content: [] }};
  }});
{more}  return server;
}}
const transport = new StreamableHTTPServerTransport({{ sessionIdGenerator: () => randomUUID() }});
await buildServer().connect(transport);
createServer((req, res) => transport.handleRequest(req, res)).listen(3000);
"
    )
}

/// What is left to do about ids, by line.
fn told(text: &str) -> Vec<(String, u32)> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("package.json"), MANIFEST).expect("a file");
    fs::write(folder.path().join("server.ts"), text).expect("a file");
    let options = FixOptions {
        scan: ScanOptions { paths: vec![folder.path().to_owned()], ..ScanOptions::default() },
        level: Level::Review,
        rules: Vec::new(),
        without: Vec::new(),
        declined: Vec::new(),
        plan: None,
        policy: Policy::default(),
        allow_dirty: true,
    };
    let prepared = prepare(&options, &Silent).expect("a plan");
    assert!(prepared.is_empty(), "nothing of a guard is changed");
    prepared.told().manual.iter().map(|manual| (manual.what.clone(), manual.at.line)).collect()
}

#[test]
fn what_only_asks_is_settled_by_the_state() {
    let told = told(&server(""));
    assert!(told.iter().any(|(what, line)| what.contains("`unlocked`") && *line == 6), "{told:?}");
    assert!(!told.iter().any(|(what, _)| what.contains("the session id is used here")), "{told:?}");
}

#[test]
fn other_uses_are_still_told() {
    for (more, line) in [
        (
            "  server.registerTool('who', { description: 'Who' }, async (extra) => ({ content: [{ type: 'text', text: `${extra.sessionId}` }] }));\n",
            24,
        ),
        (
            "  server.registerTool('who', { description: 'Who' }, async (extra) => {\n    if (!extra.sessionId) throw new Error('no session');\n    return { content: [] };\n  });\n",
            25,
        ),
    ] {
        let told = told(&server(more));
        let found = told.iter().any(|(what, at)| what.contains("the session id is used here") && *at == line);
        assert!(found, "{more}: {told:?}");
    }
}
