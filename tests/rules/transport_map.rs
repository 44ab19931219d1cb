//! `session-transport-map`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-transport-map";

const SERVER: &str = r"
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
        Severity::Warning,
        &[
            Program::commonjs("HTTP+SSE, an array that is searched").category("transport-map").facet("sse-legacy").js(r"
const express = require('express');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { SSEServerTransport } = require('@modelcontextprotocol/sdk/server/sse.js');
const srv = new Server({ name: 'clock', version: '1.0.0' }, { capabilities: {} });
const open = [];
const app = express();
app.get('/events', async (_q, s) => { const t = new SSEServerTransport('/in', s); open.push(t); await srv.connect(t); });
app.post('/in', (q, s) => open.find((t) => t.sessionId === q.query.sessionId)?.handlePostMessage(q, s));
app.listen(3001);
"),
            Program::v1("a record beside the route").stateful(SERVER).category("transport-map").store("transports:transport:drop:refused"),
            Program::v1("a registry class with a private field, in another file").category("transport-map").store("#live:transport:drop:refused").file("src/server.ts", SERVER).file("src/sessions.ts", r"
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
interface Entry { transport: StreamableHTTPServerTransport; server: McpServer; seen: number }
export class Sessions {
  #live = new Map<string, Entry>();
  add(id: string, entry: Entry) { this.#live.set(id, entry); }
  touch(id: string) { const entry = this.#live.get(id); if (entry) entry.seen = Date.now(); return entry; }
  sweep(ttl: number) { for (const [id, e] of this.#live) if (Date.now() - e.seen > ttl) { this.#live.delete(id); void e.transport.close(); } }
}
").ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
import { Sessions } from './sessions.js';
const sessions = new Sessions();
setInterval(() => sessions.sweep(60_000), 10_000).unref();
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const known = sessions.touch(req.header('Mcp-Session-Id') ?? '');
  if (known) return known.transport.handleRequest(req, res, req.body);
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.add(id, { transport, server, seen: Date.now() }),
  });
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("Hono and a Map").category("transport-map").file("src/server.ts", SERVER).ts(r"
import { Hono } from 'hono';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './server.js';
const open = new Map<string, WebStandardStreamableHTTPServerTransport>();
const app = new Hono();
app.all('/mcp', async (c) => {
  const sid = c.req.header('mcp-session-id');
  const known = sid ? open.get(sid) : undefined;
  if (known) return known.handleRequest(c.req.raw);
  if (sid) return c.json({ error: 'unknown session' }, 404);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => { open.set(id, transport); },
    onsessionclosed: (id) => { open.delete(id); },
  });
  await buildServer().connect(transport);
  return transport.handleRequest(c.req.raw);
});
export default app;
").store("open:transport:drop:refused"),
            Program::commonjs("HTTP+SSE, express 4, a plain object").category("transport-map").facet("sse-legacy").store("transports:transport:drop:*").js(r"
const express = require('express');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { SSEServerTransport } = require('@modelcontextprotocol/sdk/server/sse.js');
const transports = {};
const app = express();
app.get('/sse', async (req, res) => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.tool('now', async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  const transport = new SSEServerTransport('/messages', res);
  transports[transport.sessionId] = transport;
  res.on('close', () => { delete transports[transport.sessionId]; });
  await server.connect(transport);
});
app.post('/messages', async (req, res) => {
  const transport = transports[req.query.sessionId];
  if (!transport) return res.status(404).send('no such session');
  await transport.handlePostMessage(req, res);
});
app.listen(3001);
"),
            Program::v2("Fastify, sessions on the second SDK").category("transport-map").store("live:transport:drop:refused").file("src/server.ts", &SERVER.replace("sdk/server/mcp.js", "server")).ts(r"
import Fastify from 'fastify';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { buildServer } from './server.js';
const live = new Map<string, NodeStreamableHTTPServerTransport>();
const app = Fastify();
app.post('/mcp', async (request, reply) => {
  const header = request.headers['mcp-session-id'];
  const id = Array.isArray(header) ? header[0] : header;
  let transport = id === undefined ? undefined : live.get(id);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (sid) => void live.set(sid, transport!),
    });
    await buildServer().connect(transport);
  }
  reply.hijack();
  await transport.handleRequest(request.raw, reply.raw, request.body);
});
await app.listen({ port: 3000 });
"),
            Program::v1("a Next.js route handler, the map on globalThis").category("transport-map").file("src/server.ts", SERVER).file("app/api/mcp/route.ts", r"
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from '../../../src/server';
type Live = Map<string, WebStandardStreamableHTTPServerTransport>;
const holder = globalThis as unknown as { mcpTransports?: Live };
const transports: Live = (holder.mcpTransports ??= new Map());
export async function POST(request: Request): Promise<Response> {
  const sid = request.headers.get('mcp-session-id');
  if (sid) {
    const known = transports.get(sid);
    if (!known) return new Response('unknown session', { status: 404 });
    return known.handleRequest(request);
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => { transports.set(id, transport); },
  });
  await buildServer().connect(transport);
  return transport.handleRequest(request);
}
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("requests in flight, for a clean shutdown").category("none").file("src/server.ts", SERVER).ts(r"
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './server.js';
const inFlight = new Set<StreamableHTTPServerTransport>();
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  inFlight.add(transport);
  res.on('close', () => { inFlight.delete(transport); void transport.close(); });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
process.on('SIGTERM', async () => { for (const t of inFlight) await t.close(); process.exit(0); });
app.listen(3000);
"),
            Program::v1("pages by a tool argument called sessionId").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { open, type Page } from './browser.js';
const pages = new Map<string, Page>();
export function buildServer() {
  const server = new McpServer({ name: 'browser', version: '1.0.0' });
  server.registerTool('goto', { inputSchema: { sessionId: z.string(), url: z.string() } }, async ({ sessionId, url }) => {
    const page = pages.get(sessionId) ?? (await open());
    pages.set(sessionId, page);
    return { content: [{ type: 'text', text: await page.goto(url) }] };
  });
  return server;
}
").file("src/browser.ts", "export interface Page { goto(url: string): Promise<string> }\nexport async function open(): Promise<Page> { return { goto: async (url) => url }; }\n"),
            Program::v1("sockets of a chat beside a stdio server").category("none").stdio(SERVER).file("src/chat.ts", r"
import { WebSocketServer, type WebSocket } from 'ws';
const sockets = new Map<string, WebSocket>();
new WebSocketServer({ port: 9000 }).on('connection', (socket, req) => {
  const session = new URL(req.url ?? '/', 'http://x').searchParams.get('session') ?? '';
  sockets.set(session, socket);
  socket.on('close', () => sockets.delete(session));
});
"),
        ],
    );
}
