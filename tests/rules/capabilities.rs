//! `stateless-capability` and `stream-resumability`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

fn declares(capabilities: &str) -> String {
    format!(
        r"
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {{
  const server = new McpServer({{ name: 'catalogue', version: '1.0.0' }}, {{ capabilities: {capabilities} }});
  server.registerTool('list', {{ description: 'All' }}, async () => ({{ content: [{{ type: 'text', text: 'nothing' }}] }}));
  return server;
}}
"
    )
}

#[test]
fn undeliverable() {
    speaks(
        "stateless-capability",
        Severity::Warning,
        &[
            Program::v1("listChanged").stateless(&declares("{ tools: { listChanged: true } }")),
            Program::v1("list changes of resources and prompts")
                .stateless(&declares("{ resources: { listChanged: true }, prompts: { listChanged: true } }")),
            Program::v1("subscribe, low level").stateless(
                r"
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListResourcesRequestSchema } from '@modelcontextprotocol/sdk/types.js';
export function buildServer() {
  const server = new Server({ name: 'feeds', version: '1.0.0' }, { capabilities: { resources: { subscribe: true } } });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: [] }));
  return server;
}
",
            ),
        ],
    );
}

#[test]
fn deliverable() {
    silent(
        "stateless-capability",
        &[
            Program::v1("plain tools").stateless(&declares("{ tools: {} }")),
            Program::v1("logging over stdio").stdio(&declares("{ tools: {}, logging: {} }")),
            Program::v1("listChanged with sessions").stateful(&declares("{ tools: { listChanged: true } }")),
            Program::v1("listChanged: false").stateless(&declares("{ tools: { listChanged: false } }")),
            Program::v1("a second leg over stdio").stateless(&declares("{ tools: { listChanged: true } }")).file(
                "src/stdio.ts",
                r"
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { buildServer } from './server.js';
await buildServer().connect(new StdioServerTransport());
",
            ),
        ],
    );
}

fn stream(imports: &str, options: &str, more: &str) -> String {
    format!(
        r"
import {{ randomUUID }} from 'node:crypto';
import express from 'express';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
import {{ StreamableHTTPServerTransport }} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
{imports}
const server = new McpServer({{ name: 'clock', version: '1.0.0' }});
const transport = new StreamableHTTPServerTransport({{ sessionIdGenerator: () => randomUUID(){options} }});
await server.connect(transport);
const app = express();
app.use(express.json());
{more}
app.all('/mcp', (req, res) => transport.handleRequest(req, res, req.body));
app.listen(3000);
"
    )
}

#[test]
fn resumable() {
    speaks(
        "stream-resumability",
        Severity::Note,
        &[
            Program::v1("the event store of the examples").facet("resumability").ts(&stream(
                "import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';",
                ", eventStore: new InMemoryEventStore()",
                "",
            )),
            Program::v1("an event store of one's own").facet("resumability").file("src/events.ts", r"
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
export class FileEvents implements EventStore {
  private readonly events = new Map<string, { stream: string; message: unknown }>();
  async storeEvent(stream: string, message: unknown) { const id = `${stream}_${this.events.size}`; this.events.set(id, { stream, message }); return id; }
  async replayEventsAfter(last: string) { return last.split('_')[0]; }
}
").ts(&stream("import { FileEvents } from './events.js';\nconst eventStore = new FileEvents();", ", eventStore", "")),
        ],
    );
}

#[test]
fn not_resumable() {
    silent(
        "stream-resumability",
        &[
            Program::v1("a plain transport").ts(&stream("", "", "")),
            Program::v1("event sourcing of the domain").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Ledger } from './ledger.js';
const ledger = new Ledger({ eventStore: 'postgres://events' });
export function buildServer() {
  const server = new McpServer({ name: 'ledger', version: '1.0.0' });
  server.registerTool('book', { inputSchema: { amount: z.number() } }, async ({ amount }) => ({ content: [{ type: 'text', text: await ledger.book(amount) }] }));
  return server;
}
").file("src/ledger.ts", "export class Ledger { constructor(readonly options: { eventStore: string }) {} async book(amount: number) { return `${this.options.eventStore} ${amount}`; } }\n"),
        ],
    );
}
