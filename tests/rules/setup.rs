//! `session-transport-setup`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-transport-setup";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Warning,
        &[
            Program::v1("one transport for the process, express 5").category("setup-only").ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await server.connect(transport);
const app = express();
app.use(express.json());
app.post('/mcp', (req, res) => transport.handleRequest(req, res, req.body));
app.listen(3000);
"),
            Program::commonjs("node:http, a constant generator, require").category("setup-only").js(r"
const http = require('node:http');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
async function main() {
  const server = new McpServer({ name: 'dice', version: '1.0.0' });
  server.tool('roll', async () => ({ content: [{ type: 'text', text: String(1 + Math.floor(Math.random() * 6)) }] }));
  const only = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'the-one' });
  await server.connect(only);
  http.createServer((req, res) => only.handleRequest(req, res)).listen(7000);
}
main();
"),
            Program::v2("Hono on the second SDK").category("setup-only").ts(r"
import { Hono } from 'hono';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
const ready = server.connect(transport);
const app = new Hono();
app.all('/mcp', async (c) => { await ready; return transport.handleRequest(c.req.raw); });
export default app;
"),
            Program::v1("options in a variable, the generator by reference").category("setup-only").ts(r"
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StreamableHTTPServerTransport, type StreamableHTTPServerTransportOptions } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
const server = new Server({ name: 'clock', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
const options: StreamableHTTPServerTransportOptions = { sessionIdGenerator: randomUUID, enableJsonResponse: true };
const transport = new StreamableHTTPServerTransport(options);
await server.connect(transport);
createServer((req, res) => void transport.handleRequest(req, res)).listen(8080);
"),
            Program::v1("a switch between both modes").facet("stateless-already").ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
const stateless = process.env.STATELESS === '1';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: stateless ? undefined : () => randomUUID() });
await server.connect(transport);
const app = express();
app.all('/mcp', (req, res) => transport.handleRequest(req, res));
app.listen(3000);
"),
            Program::v2("Fastify, a class, a method as generator").category("setup-only").ts(r"
import Fastify from 'fastify';
import { nanoid } from 'nanoid';
import { McpServer } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
class Host {
  private readonly server = new McpServer({ name: 'clock', version: '1.0.0' });
  private readonly transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator() { return nanoid(); } });
  async start() {
    await this.server.connect(this.transport);
    const app = Fastify();
    app.all('/mcp', async (request, reply) => { reply.hijack(); await this.transport.handleRequest(request.raw, reply.raw, request.body); });
    await app.listen({ port: 3000 });
  }
}
await new Host().start();
"),
            Program::v1("the set-up in another file, a generator of its own").file("src/ids.ts", r"
import { randomBytes } from 'node:crypto';
export function newSession(): string { return randomBytes(16).toString('hex'); }
").file("src/transport.ts", r"
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { newSession } from './ids.js';
export const makeTransport = () => new StreamableHTTPServerTransport({ sessionIdGenerator: newSession });
").ts(r"
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { makeTransport } from './transport.js';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
const transport = makeTransport();
await server.connect(transport);
express().use(express.json()).post('/mcp', (req, res) => transport.handleRequest(req, res, req.body)).listen(3000);
").category("setup-only"),
        ],
    );
}

#[test]
fn not_found() {
    let server = r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
";
    silent(
        RULE,
        &[
            Program::v1("a server per request").stateless(server).category("none"),
            Program::v2("the modern entry point")
                .modern(&server.replace("sdk/server/mcp.js", "server"))
                .category("none"),
            Program::v1("stdio").stdio(server).category("none"),
            Program::v1("no option at all").category("none").ts(r"
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
createServer(async (req, res) => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  const transport = new StreamableHTTPServerTransport();
  await server.connect(transport);
  await transport.handleRequest(req, res);
}).listen(8080);
"),
            Program::v1("a generator given to a cookie store").category("none").stdio(server).file(
                "src/admin.ts",
                r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { cookieStore } from './cookies.js';
export const admin = express();
admin.use(cookieStore({ sessionIdGenerator: () => randomUUID() }));
",
            ),
        ],
    );
}
