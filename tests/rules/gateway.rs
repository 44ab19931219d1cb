//! `session-gateway`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-gateway";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("a child process per session, tied by a closure").category("gateway").ts(r"
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
const live: Record<string, StreamableHTTPServerTransport> = {};
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const sid = req.headers['mcp-session-id'] as string | undefined;
  if (sid && live[sid]) { await live[sid].handleRequest(req, res, req.body); return; }
  if (!isInitializeRequest(req.body)) { res.status(400).end(); return; }
  const child = spawn(process.argv[2], { shell: true });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => { live[id] = transport; },
  });
  transport.onmessage = (message) => { child.stdin.write(JSON.stringify(message) + '\n'); };
  transport.onclose = () => { child.kill(); };
  child.stdout.on('data', (data: Buffer) => { for (const line of data.toString().split('\n')) if (line) void transport.send(JSON.parse(line)); });
  await transport.start();
  await transport.handleRequest(req, res, req.body);
});
app.listen(8000);
"),
            Program::v1("a map from session to upstream client").category("gateway").store("upstreams:upstream:manual:*").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const upstreams = new Map<string, Client>();
async function upstreamOf(id: string) {
  let client = upstreams.get(id);
  if (!client) {
    client = new Client({ name: 'gate', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: 'worker' }));
    upstreams.set(id, client);
  }
  return client;
}
export function buildServer() {
  const server = new McpServer({ name: 'gate', version: '1.0.0' });
  server.registerTool('forward', { inputSchema: { tool: z.string() } }, async ({ tool }, extra) => {
    const client = await upstreamOf(extra.sessionId!);
    return (await client.callTool({ name: tool, arguments: {} })) as any;
  });
  return server;
}
"),
            Program::commonjs("HTTP+SSE, a client per connection, JavaScript").category("gateway").js(r"
const express = require('express');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { SSEServerTransport } = require('@modelcontextprotocol/sdk/server/sse.js');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const sessions = new Map();
const app = express();
app.get('/sse', async (req, res) => {
  const client = new Client({ name: 'bridge', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.argv[2] }));
  const server = new Server({ name: 'bridge', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => client.listTools());
  server.setRequestHandler(CallToolRequestSchema, (request) => client.callTool(request.params));
  const transport = new SSEServerTransport('/messages', res);
  sessions.set(transport.sessionId, { transport, client });
  res.on('close', () => { sessions.delete(transport.sessionId); client.close(); });
  await server.connect(transport);
});
app.post('/messages', (req, res) => sessions.get(req.query.sessionId)?.transport.handlePostMessage(req, res));
app.listen(3001);
"),
            Program::bare("sticky routing of a proxy", r#"{"name":"edge","type":"module","dependencies":{"hono":"^4.0.0","ioredis":"^5.0.0"}}"#).category("gateway").ts(r"
import { Hono } from 'hono';
import Redis from 'ioredis';
const redis = new Redis();
const backends = (process.env.BACKENDS ?? '').split(',');
const app = new Hono();
app.post('/mcp', async (c) => {
  const body = await c.req.json();
  const sid = c.req.header('mcp-session-id');
  const backend = (sid && (await redis.get(`route:${sid}`))) || backends[Math.floor(Math.random() * backends.length)];
  const answer = await fetch(`${backend}/mcp`, { method: 'POST', headers: c.req.raw.headers, body: JSON.stringify(body) });
  if (body.method === 'initialize') {
    const opened = answer.headers.get('mcp-session-id');
    if (opened) await redis.set(`route:${opened}`, backend);
  }
  return answer;
});
export default app;
"),
            Program::commonjs("a map from session to worker address, handed to a helper, JavaScript").category("gateway").js(r"
const express = require('express');
const workers = (process.env.WORKERS || '').split(',');
const owners = new Map();
let turn = 0;
async function forward(base, req, res) {
  const answer = await fetch(new URL('/mcp', base), { method: req.method, headers: req.headers, body: JSON.stringify(req.body) });
  const opened = answer.headers.get('mcp-session-id');
  if (opened) { owners.set(opened, { url: base, since: Date.now() }); res.set('mcp-session-id', opened); }
  res.status(answer.status).send(await answer.text());
}
const app = express();
app.use(express.json());
app.all('/mcp', async (req, res) => {
  const sid = req.headers['mcp-session-id'];
  if (req.body && req.body.method === 'initialize') return forward(workers[turn++ % workers.length], req, res);
  const owner = owners.get(sid);
  if (!owner) return res.status(404).end();
  await forward(owner.url, req, res);
});
app.listen(8080);
"),
            Program::python("a dict from session to backend, Python", "starlette httpx", r#"
import random
import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

BACKENDS = ["http://a:9000", "http://b:9000"]
affinity: dict[str, str] = {}
client = httpx.AsyncClient()


async def relay(request: Request) -> Response:
    body = await request.json()
    sid = request.headers.get("mcp-session-id")
    if body.get("method") == "initialize":
        target = random.choice(BACKENDS)
    else:
        target = affinity.get(sid)
        if target is None:
            return Response(status_code=404)
    answer = await client.post(f"{target}/mcp", json=body, headers=dict(request.headers))
    if opened := answer.headers.get("mcp-session-id"):
        affinity[opened] = target
    return Response(answer.content, answer.status_code, dict(answer.headers))


app = Starlette(routes=[Route("/mcp", relay, methods=["POST"])])
"#).category("gateway"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("one upstream for everybody").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const upstream = new Client({ name: 'gate', version: '1.0.0' });
await upstream.connect(new StdioClientTransport({ command: 'worker' }));
export function buildServer() {
  const server = new McpServer({ name: 'gate', version: '1.0.0' });
  server.registerTool('forward', { inputSchema: { tool: z.string() } }, async ({ tool }) => (await upstream.callTool({ name: tool, arguments: {} })) as any);
  return server;
}
"),
            Program::v1("upstreams by name").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const clients = new Map<string, Client>();
async function clientFor(name: string) {
  let client = clients.get(name);
  if (!client) {
    client = new Client({ name: 'hub', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://${name}.internal/mcp`)));
    clients.set(name, client);
  }
  return client;
}
export function buildServer() {
  const server = new McpServer({ name: 'hub', version: '1.0.0' });
  server.registerTool('call', { inputSchema: { upstream: z.string(), tool: z.string() } }, async ({ upstream, tool }) => (await (await clientFor(upstream)).callTool({ name: tool })) as any);
  return server;
}
"),
            Program::v1("a process per call").category("transport-map").stateful(r"
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const run = promisify(execFile);
export function buildServer() {
  const server = new McpServer({ name: 'git', version: '1.0.0' });
  server.registerTool('log', { inputSchema: { path: z.string() } }, async ({ path }) => {
    const { stdout } = await run('git', ['log', '--oneline'], { cwd: path });
    return { content: [{ type: 'text', text: stdout }] };
  });
  return server;
}
"),
            Program::v1("a place that tools set and call").category("app-state").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const hosts = new Map<string, { url: string }>();
export function buildServer() {
  const server = new McpServer({ name: 'rest', version: '1.0.0' });
  server.registerTool('use_host', { inputSchema: { url: z.string() } }, async ({ url }, extra) => {
    hosts.set(extra.sessionId!, { url });
    return { content: [{ type: 'text', text: 'ok' }] };
  });
  server.registerTool('get', { inputSchema: { path: z.string() } }, async ({ path }, extra) => {
    const host = hosts.get(extra.sessionId!);
    const answer = await fetch(`${host?.url}/${path}`);
    return { content: [{ type: 'text', text: await answer.text() }] };
  });
  return server;
}
"),
            Program::v1("a login under way, finished by a route").stateful(r"
import express from 'express';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
type Login = { tokenEndpoint: string; verifier: string; token?: string };
const logins = new Map<string, Login>();
export const callback = express.Router();
callback.get('/callback/:code', async (req, res) => {
  const login = logins.get(req.headers['mcp-session-id'] as string)!;
  const answer = await fetch(login.tokenEndpoint, { method: 'POST', body: login.verifier });
  login.token = (await answer.json()).access_token;
  res.end();
});
export function buildServer() {
  const server = new McpServer({ name: 'drive', version: '1.0.0' });
  server.registerTool('login', { inputSchema: { issuer: z.string() } }, async ({ issuer }, extra) => {
    logins.set(extra.sessionId!, { tokenEndpoint: `${issuer}/token`, verifier: 'x' });
    return { content: [{ type: 'text', text: 'open the page' }] };
  });
  return server;
}
"),
        ],
    );
}
