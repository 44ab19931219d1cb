//! `session-bound-auth`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-bound-auth";

const CLOCK: &str = r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
";
const FASTMCP: &str = r#"{"name":"mail","type":"module","dependencies":{"fastmcp":"^3.20.0","zod":"^3.25.0"}}"#;

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("a code verifier by session").category("auth").store("verifiers:auth:manual:collapsed").stateful(r"
import { createHash, randomBytes } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const verifiers = new Map<string, string>();
export function buildServer() {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  server.registerTool('begin_login', { description: 'Starts a login' }, async (extra) => {
    const verifier = randomBytes(32).toString('base64url');
    verifiers.set(extra.sessionId!, verifier);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return { content: [{ type: 'text', text: `https://id.example/authorize?code_challenge=${challenge}` }] };
  });
  server.registerTool('finish_login', { description: 'Ends it' }, async (extra) => {
    const code_verifier = verifiers.get(extra.sessionId!);
    const answer = await fetch('https://id.example/token', { method: 'POST', body: JSON.stringify({ code_verifier }) });
    return { content: [{ type: 'text', text: answer.ok ? 'signed in' : 'failed' }] };
  });
  return server;
}
"),
            Program::v1("a header kept by a middleware").category("auth").store("creds:auth:manual:*").file("src/creds.ts", "export const creds: Record<string, string> = {};\n").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { creds } from './creds.js';
export function buildServer() {
  const server = new McpServer({ name: 'me', version: '1.0.0' });
  server.registerTool('me', { description: 'Who am I' }, async (extra) => {
    const answer = await fetch('https://api.example/me', { headers: { authorization: creds[extra.sessionId!] } });
    return { content: [{ type: 'text', text: await answer.text() }] };
  });
  return server;
}
").file("src/remember.ts", r"
import type { NextFunction, Request, Response } from 'express';
import { creds } from './creds.js';
export function remember(req: Request, _res: Response, next: NextFunction) {
  const id = req.headers['mcp-session-id'];
  const bearer = req.headers.authorization;
  if (id && bearer) creds[String(id)] = bearer;
  next();
}
"),
            Program::v1("an owner check in the route").category("auth").store("owners:auth:*:*").file("src/server.ts", CLOCK).ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { buildServer } from './server.js';
import { verifier } from './verifier.js';
const live = new Map<string, StreamableHTTPServerTransport>();
const owners = new Map<string, string>();
const app = express();
app.use(express.json(), requireBearerAuth({ verifier }));
app.post('/mcp', async (req, res) => {
  const sid = req.headers['mcp-session-id'] as string | undefined;
  if (sid) {
    if (owners.get(sid) !== req.auth?.clientId) { res.status(403).end(); return; }
    await live.get(sid)?.handleRequest(req, res, req.body);
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => { live.set(id, transport); owners.set(id, req.auth!.clientId); },
  });
  await buildServer().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
").file("src/verifier.ts", "export const verifier = { verifyAccessToken: async (token: string) => ({ token, clientId: token.slice(0, 8), scopes: [] }) };\n"),
            Program::v1("a key of the first request, captured by the server").category("auth").file("src/server.ts", r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Api } from './api.js';
export function makeServer(api: Api) {
  const server = new McpServer({ name: 'api', version: '1.0.0' });
  server.registerTool('me', { description: 'Who am I' }, async () => ({ content: [{ type: 'text', text: await api.me() }] }));
  return server;
}
").file("src/api.ts", r"
export class Api {
  constructor(private readonly apiKey: string) {}
  async me() { return (await fetch('https://api.example/me', { headers: { 'x-api-key': this.apiKey } })).text(); }
}
").ts(r"
import { randomUUID } from 'node:crypto';
import express from 'express';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { Api } from './api.js';
import { makeServer } from './server.js';
const transports: Record<string, StreamableHTTPServerTransport> = {};
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const id = req.headers['mcp-session-id'] as string | undefined;
  if (id && transports[id]) { await transports[id].handleRequest(req, res, req.body); return; }
  if (!isInitializeRequest(req.body)) { res.status(400).end(); return; }
  const api = new Api(req.headers['x-api-key'] as string);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sid) => { transports[sid] = transport; },
  });
  await makeServer(api).connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::v1("OAuth state that leads to the session").category("auth").stateful(r"
import { randomBytes } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { pending, tokens } from './oauth.js';
export function buildServer() {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  server.registerTool('login', { description: 'Signs in' }, async (extra) => {
    const state = randomBytes(16).toString('hex');
    pending.set(state, extra.sessionId!);
    return { content: [{ type: 'text', text: `https://id.example/authorize?state=${state}` }] };
  });
  server.registerTool('inbox', { description: 'Reads mail' }, async (extra) => {
    const accessToken = tokens.get(extra.sessionId!);
    if (!accessToken) return { isError: true, content: [{ type: 'text', text: 'sign in first' }] };
    const mail = await fetch('https://mail.example/inbox', { headers: { authorization: `Bearer ${accessToken}` } });
    return { content: [{ type: 'text', text: await mail.text() }] };
  });
  return server;
}
").file("src/oauth.ts", r"
import { Router } from 'express';
export const pending = new Map<string, string>();
export const tokens = new Map<string, string>();
export const oauth = Router();
oauth.get('/callback', async (req, res) => {
  const sessionId = pending.get(String(req.query.state));
  if (!sessionId) { res.status(400).end(); return; }
  const answer = await fetch('https://id.example/token', { method: 'POST', body: `code=${req.query.code}` });
  tokens.set(sessionId, (await answer.json()).access_token);
  res.send('You may close this page.');
});
").store("tokens:auth:manual:*"),
            Program::bare("an identity that FastMCP keeps for the session", FASTMCP).category("auth").ts(r"
import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';
import { users } from './users.js';
const server = new FastMCP({
  name: 'mail',
  version: '1.0.0',
  authenticate: async (request) => {
    const user = await users.byKey(String(request.headers['x-api-key']));
    if (!user) throw new Response(null, { status: 401 });
    return { id: user.id };
  },
});
server.addTool({
  name: 'inbox',
  description: 'Lists mail',
  parameters: z.object({ folder: z.string() }),
  execute: async (args, context) => {
    if (!context.session) throw new UserError('nobody');
    return users.mail(context.session.id, args.folder);
  },
});
server.start({ transportType: 'httpStream', httpStream: { port: 8080 } });
").file("users.ts", "export const users = { async byKey(key: string) { return key ? { id: key } : undefined; }, mail(id: string, folder: string) { return id + folder; } };\n"),
            Program::v1("what a sign-in remembers between its steps").category("auth").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const addresses = new Map<string, string>();
export function buildServer() {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  server.registerTool('startLogin', { inputSchema: { email: z.string() } }, async ({ email }, extra) => {
    addresses.set(extra.sessionId!, email);
    return { content: [{ type: 'text', text: 'a code was sent' }] };
  });
  server.registerTool('finish_sign_in', { inputSchema: { code: z.string() } }, async ({ code }, extra) => ({
    content: [{ type: 'text', text: `${addresses.get(extra.sessionId!)} ${code}` }],
  }));
  return server;
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
            Program::v1("the token of the request itself").category("none").stateless(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  server.registerTool('inbox', { description: 'Reads mail' }, async (extra) => {
    const mail = await fetch('https://mail.example/inbox', { headers: { authorization: `Bearer ${extra.authInfo?.token}` } });
    return { content: [{ type: 'text', text: await mail.text() }] };
  });
  return server;
}
"),
            Program::v1("a verifier under a nonce").category("none").stateless(CLOCK).file("src/oauth.ts", r"
import { randomBytes } from 'node:crypto';
import { Router } from 'express';
const pending = new Map<string, { verifier: string; owner: string }>();
export const oauth = Router();
oauth.get('/login', (req, res) => {
  const nonce = randomBytes(16).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  pending.set(nonce, { verifier, owner: String(req.query.owner) });
  res.redirect(`https://id.example/authorize?state=${nonce}`);
});
oauth.get('/callback', (req, res) => {
  const entry = pending.get(String(req.query.state));
  pending.delete(String(req.query.state));
  res.status(entry ? 200 : 400).end();
});
"),
            Program::v1("a key of each request, a server per request").category("none").file("src/api.ts", "export class Api { constructor(readonly key: string) {} async me() { return this.key.length.toString(); } }\n").ts(r"
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Api } from './api.js';
function makeServer(api: Api) {
  const server = new McpServer({ name: 'api', version: '1.0.0' });
  server.registerTool('me', { description: 'Who am I' }, async () => ({ content: [{ type: 'text', text: await api.me() }] }));
  return server;
}
const app = express();
app.use(express.json());
app.post('/mcp', async (req, res) => {
  const server = makeServer(new Api(req.headers['x-api-key'] as string));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
            Program::bare("an identity that FastMCP asks for with each request", FASTMCP).category("none").ts(r"
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
const server = new FastMCP({
  name: 'mail',
  version: '1.0.0',
  authenticate: async (request) => ({ id: String(request.headers['x-api-key']) }),
});
server.addTool({
  name: 'inbox',
  description: 'Lists mail',
  parameters: z.object({ folder: z.string() }),
  execute: async ({ folder }, { session }) => `${session?.id} ${folder}`,
});
server.start({ transportType: 'httpStream', httpStream: { port: 8080, stateless: true } });
"),
            Program::bare("a gate in FastMCP whose answer no tool asks for", FASTMCP).category("none").allow("implicit-sessions").ts(r"
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
const server = new FastMCP({
  name: 'mail',
  version: '1.0.0',
  authenticate: async (request) => { if (request.headers['x-api-key'] !== process.env.KEY) throw new Response(null, { status: 401 }); return {}; },
});
server.addTool({ name: 'time', description: 'The time', parameters: z.object({}), execute: async () => new Date().toISOString() });
server.start({ transportType: 'sse', sse: { endpoint: '/sse', port: 8080 } });
"),
            Program::v1("a draft that signing in has nothing to do with").category("app-state").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const drafts = new Map<string, string>();
export function buildServer() {
  const server = new McpServer({ name: 'blog', version: '1.0.0' });
  server.registerTool('write', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    drafts.set(extra.sessionId!, text);
    return { content: [{ type: 'text', text: 'kept' }] };
  });
  server.registerTool('design_in_colour', { inputSchema: { colour: z.string() } }, async ({ colour }, extra) => ({
    content: [{ type: 'text', text: `${drafts.get(extra.sessionId!)} ${colour}` }],
  }));
  return server;
}
"),
        ],
    );
}
