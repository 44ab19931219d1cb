//! `handle-not-usable` and `handle-registry-in-factory`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

/// Baskets outside the factory, and the tool that adds to one.
fn shop(parameter: &str, body: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
const baskets = new Map<string, string[]>();
export function buildServer() {{
  const server = new McpServer({{ name: 'shop', version: '1.0.0' }});
  server.registerTool('create_basket', {{ description: 'Creates a basket, kept until the server stops' }}, async () => {{
    const basket_id = `bsk_${{randomUUID()}}`;
    baskets.set(basket_id, []);
    return {{ structuredContent: {{ basket_id }}, content: [{{ type: 'text', text: `basket_id: ${{basket_id}}` }}] }};
  }});
  server.registerTool('add_item', {{ inputSchema: {{ {parameter}, sku: z.string() }} }}, async (args) => {{
    {body}
    return {{ content: [{{ type: 'text', text: 'added' }}] }};
  }});
  return server;
}}
"
    )
}

#[test]
fn not_usable() {
    speaks(
        "handle-not-usable",
        Severity::Note,
        &[
            Program::v1("called session_id").stateless(&shop("session_id: z.string()", "const basket = baskets.get(args.session_id); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("called sessionId").stateless(&shop("sessionId: z.string()", "const basket = baskets.get(args.sessionId); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("a leading underscore").stateless(&shop("_basket: z.string()", "const basket = baskets.get(args._basket); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
        ],
    );
}

#[test]
fn usable() {
    silent(
        "handle-not-usable",
        &[
            Program::v1("named, required, looked up").category("none").facet("handles-already").stateless(&shop("basket_id: z.string()", "const basket = baskets.get(args.basket_id); if (!basket) throw new Error(`basket ${args.basket_id} is unknown or has expired; call create_basket`); basket.push(args.sku);")),
            Program::v1("the session of a vendor").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'recordings', version: '1.0.0' });
  server.registerTool('play', { inputSchema: { sessionId: z.string() } }, async ({ sessionId }) => {
    const answer = await fetch(`https://api.example/recordings/${sessionId}`);
    return { content: [{ type: 'text', text: await answer.text() }] };
  });
  return server;
}
"),
        ],
    );
}

const REGISTRY: &str = r"
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const baskets = new Map<string, string[]>();
  server.registerTool('create_basket', { description: 'Creates a basket' }, async () => {
    const basket_id = `bsk_${randomUUID()}`;
    baskets.set(basket_id, []);
    return { structuredContent: { basket_id }, content: [{ type: 'text', text: `basket_id: ${basket_id}` }] };
  });
  server.registerTool('add_item', { inputSchema: { basket_id: z.string(), sku: z.string() } }, async ({ basket_id, sku }) => {
    const basket = baskets.get(basket_id);
    if (!basket) throw new Error('unknown basket; call create_basket');
    basket.push(sku);
    return { content: [{ type: 'text', text: 'added' }] };
  });
  return server;
}
";

#[test]
fn in_the_factory() {
    speaks(
        "handle-registry-in-factory",
        Severity::Error,
        &[
            Program::v1("a factory per session").stateful(REGISTRY).store("baskets:*:*:lost"),
            Program::v1("a registry class made by the factory")
                .stateful(
                    &REGISTRY
                        .replace("new Map<string, string[]>()", "new Baskets()")
                        .replace("import { z }", "import { Baskets } from './baskets.js';\nimport { z }"),
                )
                .file(
                    "src/baskets.ts",
                    r"
export class Baskets {
  private readonly byId = new Map<string, string[]>();
  get(id: string) { return this.byId.get(id); }
  set(id: string, items: string[]) { this.byId.set(id, items); }
}
",
                ),
            Program::v1("a factory per request").stateless(REGISTRY),
            Program::v2("the modern entry point").modern(&REGISTRY.replace("sdk/server/mcp.js", "server").replace(
                "{ basket_id: z.string(), sku: z.string() }",
                "z.object({ basket_id: z.string(), sku: z.string() })",
            )),
        ],
    );
}

#[test]
fn outside_the_factory() {
    silent(
        "handle-registry-in-factory",
        &[
            Program::v1("hoisted").category("none").facet("handles-already").stateless(&shop("basket_id: z.string()", "const basket = baskets.get(args.basket_id); if (!basket) throw new Error('call create_basket'); basket.push(args.sku);")),
            Program::v1("one factory call per process").category("none").stdio(REGISTRY),
        ],
    );
}
