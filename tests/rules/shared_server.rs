//! `shared-stateless-server`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "shared-stateless-server";

const CLOCK: &str = r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("a server of the module, a transport per request").file("src/server.ts", CLOCK).ts(r"
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const server = buildServer();
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("the server within a server of the module").file("src/server.ts", &CLOCK.replace("return server;", "return server.server;")).ts(r"
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const server = buildServer();
const app = express();
app.all('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::commonjs("one stateless transport for all, node:http, JavaScript").js(r"
const http = require('node:http');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.tool('now', async () => ({ content: [{ type: 'text', text: 'noon' }] }));
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
server.connect(transport).then(() => http.createServer((req, res) => transport.handleRequest(req, res)).listen(3000));
"),
            Program::v1("a server exported by another file, Hono").file("src/server.ts", r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
").ts(r"
import { Hono } from 'hono';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { server } from './server.js';
const app = new Hono();
app.all('/mcp', async (c) => {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(c.req.raw);
});
export default app;
"),
            Program::v1("a field of the host").ts(r"
import express, { type Request, type Response } from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
class Host {
  private server: McpServer;
  constructor() { this.server = new McpServer({ name: 'clock', version: '1.0.0' }); }
  async handle(req: Request, res: Response) {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await this.server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  }
  listen() {
    const app = express();
    app.use(express.json());
    app.post('/mcp', (req, res) => this.handle(req, res));
    app.listen(3000);
  }
}
new Host().listen();
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("a server per request").category("none").stateless(CLOCK),
            Program::v1("the server within a server, from a factory")
                .category("none")
                .file("src/server.ts", &CLOCK.replace("return server;", "return server.server;"))
                .file(
                    "src/stdio.ts",
                    r"
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { buildServer } from './server.js';
await buildServer().connect(new StdioServerTransport());
",
                )
                .ts(r"
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const app = express();
app.all('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = buildServer();
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("one server over stdio").category("none").ts(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'clock', version: '1.0.0' });
await server.connect(new StdioServerTransport());
"),
            Program::v1("one server and one transport with sessions")
                .category("setup-only")
                .file("src/server.ts", CLOCK)
                .ts(r"
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
await buildServer().connect(transport);
createServer((q, s) => void transport.handleRequest(q, s)).listen(3000);
"),
            Program::v2("the modern entry point")
                .category("none")
                .modern(&CLOCK.replace("sdk/server/mcp.js", "server")),
        ],
    );
}
