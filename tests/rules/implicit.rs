//! `implicit-sessions`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "implicit-sessions";
const FASTMCP: &str = r#"{"name":"clock","type":"module","dependencies":{"fastmcp":"^3.20.0","zod":"^3.25.0"}}"#;

fn fastmcp(start: &str) -> String {
    format!(
        r"
import {{ FastMCP }} from 'fastmcp';
import {{ z }} from 'zod';
const server = new FastMCP({{ name: 'clock', version: '1.0.0' }});
server.addTool({{ name: 'now', description: 'The time', parameters: z.object({{}}), execute: async () => new Date().toISOString() }});
{start}
"
    )
}

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Note,
        &[
            Program::bare("fastmcp over HTTP", FASTMCP).category("none").facet("implicit-sessions").ts(&fastmcp("server.start({ transportType: 'httpStream', httpStream: { port: 8080 } });")),
            Program::bare("fastmcp over HTTP, JavaScript", FASTMCP).category("none").js(&fastmcp("await server.start({ transportType: 'httpStream' });")),
            Program::bare("an agent per session without state", r#"{"name":"clock","type":"module","dependencies":{"agents":"^0.2.0","@modelcontextprotocol/sdk":"^1.20.0"}}"#).category("none").facet("implicit-sessions").ts(r"
import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export class Clock extends McpAgent {
  server = new McpServer({ name: 'clock', version: '1.0.0' });
  async init() {
    this.server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
  }
}
export default Clock.serve('/mcp');
"),
Program::bare("mcp-framework over HTTP", r#"{"name":"clock","type":"module","dependencies":{"mcp-framework":"^0.2.0"}}"#).category("none").facet("implicit-sessions").ts(r"
import { MCPServer } from 'mcp-framework';
const server = new MCPServer({ transport: { type: 'http-stream', options: { port: 8080 } } });
await server.start();
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[Program::v2("the modern entry point").category("none").modern(
            r"
import { McpServer } from '@modelcontextprotocol/server';
export const buildServer = () => new McpServer({ name: 'clock', version: '1.0.0' });
",
        )],
    );
}

#[test]
fn said_in_the_options() {
    silent(
        RULE,
        &[
            Program::bare("fastmcp, the mode written down", FASTMCP).category("none").ts(&fastmcp(
                "server.start({ transportType: 'httpStream', httpStream: { port: 8080, stateless: true } });",
            )),
            Program::bare("fastmcp over stdio", FASTMCP)
                .category("none")
                .ts(&fastmcp("server.start({ transportType: 'stdio' });")),
        ],
    );
}
