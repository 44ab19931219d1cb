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

/// A server whose only tool sends something.
fn sends(statement: &str) -> String {
    format!(
        r"
import {{ z }} from 'zod';
import {{ McpServer }} from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {{
  const server = new McpServer({{ name: 'feeds', version: '1.0.0' }});
  server.registerTool('refresh', {{ inputSchema: {{ id: z.string() }} }}, async ({{ id }}, extra) => {{
    {statement}
    return {{ content: [{{ type: 'text', text: id }}] }};
  }});
  return server;
}}
"
    )
}

/// The same in Python, without sessions.
fn python(statement: &str) -> String {
    format!(
        r"
from mcp.server.fastmcp import Context, FastMCP

mcp = FastMCP('feeds', stateless_http=True)

@mcp.tool()
async def refresh(ctx: Context) -> str:
    {statement}
    return 'done'

mcp.run(transport='streamable-http')
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
            Program::commonjs("a notification that is sent, JavaScript").js(r"
const express = require('express');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = new McpServer({ name: 'feeds', version: '1.0.0' });
  server.tool('refresh', async () => {
    await server.server.sendResourceUpdated({ uri: 'feed://all' });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("a log message outside the request").stateless(&sends(
                "await server.sendLoggingMessage({ level: 'info', data: 'done' });",
            )),
            Program::v1("a change that is told").stateless(&sends("server.sendToolListChanged();")),
            Program::v1("a change that is told by hand").stateless(&sends(
                "await server.server.notification({ method: 'notifications/resources/updated', params: { uri: 'a://b' } });",
            )),
            Program::python("what belongs to no request, Python", "mcp>=1.9,<2", &python("await ctx.session.send_resource_updated('feed://all')")),
            Program::python("a log message of no request, Python", "mcp>=1.9,<2", &python("await ctx.session.send_log_message(level='info', data='done')")),
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
            Program::v1("logging, whose messages a request may carry").stateless(&declares("{ tools: {}, logging: {} }")),
            Program::v1("a log message within the request").stateless(&sends(
                "await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'done' } });",
            )),
            Program::v1("a notification that says its request").stateless(&sends(
                "await server.server.notification({ method: 'notifications/message', params: { level: 'info', data: 'done' } }, { relatedRequestId: extra.requestId });",
            )),
            Program::v1("progress").stateless(&sends(
                "await server.server.notification({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });",
            )),
            Program::v1("a log message with sessions").stateful(&sends(
                "await server.sendLoggingMessage({ level: 'info', data: 'done' });",
            )),
            Program::v1("a log message over stdio").stdio(&sends(
                "await server.sendLoggingMessage({ level: 'info', data: 'done' });",
            )),
            Program::v1("a method of others").stateless(&sends("await bus.sendResourceUpdated('a');").replace(
                "export function",
                "const bus = { async sendResourceUpdated(uri: string) { console.error(uri); } };\nexport function",
            )),
            Program::python("a log message within the request, Python", "mcp>=1.9,<2", &python("await ctx.info('done')")),
            Program::python("a message that says its request, Python", "mcp>=1.9,<2", &python("await ctx.session.send_log_message(level='info', data='done', related_request_id=ctx.request_id)")),
            Program::python("the same with sessions, Python", "mcp>=1.9,<2", &python("await ctx.session.send_resource_updated('feed://all')").replace(", stateless_http=True", "")),
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
            Program::v1("Last-Event-ID in a route").facet("resumability").ts(&stream(
    "",
    "",
    "app.get('/mcp', (req, res, next) => { if (req.headers['last-event-id']) console.error('resumed'); next(); });",
)),
            Program::v1("the header by a constant").facet("resumability").ts(&stream(
                "const RESUME = 'Last-Event-ID';",
                "",
                "app.get('/mcp', (req, res, next) => { if (req.get(RESUME)) console.error('resumed'); next(); });",
            )),
            Program::v1("a stream closed on purpose").facet("resumability").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'slow', version: '1.0.0' });
  server.registerTool('crunch', { description: 'Takes long' }, async (extra) => {
    extra.closeSSEStream?.();
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return server;
}
"),
            Program::python("a stream closed on purpose, Python", "mcp>=1.9,<2", &python("await ctx.close_sse_stream()").replace(", stateless_http=True", "")).facet("resumability"),
        ],
    );
}

#[test]
fn not_resumable() {
    silent(
        "stream-resumability",
        &[
            Program::v1("a plain transport").ts(&stream("", "", "")),
            Program::v1("the header in a list").ts(&stream(
                "",
                "",
                "app.use((_req, res, next) => { res.setHeader('Access-Control-Allow-Headers', 'Last-Event-ID'); next(); });",
            )),
            Program::v1("a stream of one's own that is closed").ts(&stream(
                "const feeds = { closeSSE(id: string) { console.error(id); } };",
                "",
                "app.get('/stop', (_req, res) => { feeds.closeSSE('a'); res.end(); });",
            )),
            Program::v1("a stream of one's own, over stdio alone").stdio(
                r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'feeds', version: '1.0.0' });
  server.registerTool('tail', { inputSchema: { url: z.string() } }, async ({ url }) => {
    const answer = await fetch(url);
    return { content: [{ type: 'text', text: answer.headers.get('last-event-id') ?? 'none' }] };
  });
  return server;
}
",
            ),
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
