//! `session-keyed-state`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-keyed-state";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("a Map by extra.sessionId!").category("app-state").store("drafts:app-state:handle:collapsed").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const drafts = new Map<string, string[]>();
export function buildServer() {
  const server = new McpServer({ name: 'drafts', version: '1.0.0' });
  server.registerTool('add_line', { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    const lines = drafts.get(extra.sessionId!) ?? [];
    lines.push(text);
    drafts.set(extra.sessionId!, lines);
    return { content: [{ type: 'text', text: `${lines.length} lines` }] };
  });
  return server;
}
"),
            Program::v1("a game with a secret of its own").category("app-state").store("games:app-state:handle:*").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const games = new Map<string, { secret: number; attempts: number; solvedAt: number }>();
export function buildServer() {
  const server = new McpServer({ name: 'guess', version: '1.0.0' });
  server.registerTool('start', { description: 'Starts' }, async (extra) => {
    games.set(extra.sessionId!, { secret: Math.floor(Math.random() * 100), attempts: 0, solvedAt: 0 });
    return { content: [{ type: 'text', text: 'guess' }] };
  });
  server.registerTool('guess', { inputSchema: { value: z.number() } }, async ({ value }, extra) => {
    const game = games.get(extra.sessionId!);
    if (!game) throw new Error('start first');
    game.attempts += 1;
    if (value === game.secret) game.solvedAt = Date.now();
    return { content: [{ type: 'text', text: game.solvedAt > 0 ? `solved after ${game.attempts}` : 'no' }] };
  });
  return server;
}
"),
            Program::v1("a basket whose tools ask for the server's token each time").category("app-state").store("baskets:app-state:handle:*").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const baskets = new Map<string, string[]>();
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { key: z.string(), item: z.string() } }, async ({ key, item }, extra) => {
    if (key !== process.env.SHOP_TOKEN) throw new Error('not allowed');
    const basket = baskets.get(extra.sessionId!) ?? [];
    if (basket.length > 20) throw new Error('full');
    basket.push(item);
    baskets.set(extra.sessionId!, basket);
    return { content: [{ type: 'text', text: `${basket.length} items` }] };
  });
  return server;
}
"),
            Program::v1("static methods that reach a static field by this").category("app-state").store("chosen:app-state:handle:collapsed").file("src/context.ts", r"
export class ContextService {
  private static chosen: Map<string, { project?: string }> = new Map();
  private static of(sessionId: string): { project?: string } {
    const existing = this.chosen.get(sessionId);
    if (existing) return existing;
    const created: { project?: string } = {};
    this.chosen.set(sessionId, created);
    return created;
  }
  static select(sessionId: string, project: string): void { this.of(sessionId).project = project; }
  static current(sessionId: string): string | undefined { return this.of(sessionId).project; }
}
").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ContextService } from './context.js';
export function buildServer() {
  const server = new McpServer({ name: 'issues', version: '1.0.0' });
  server.registerTool('use_project', { inputSchema: { project: z.string() } }, async ({ project }, extra) => {
    ContextService.select(extra.sessionId ?? 'default', project);
    return { content: [{ type: 'text', text: project }] };
  });
  server.registerTool('current', {}, async (extra) => {
    return { content: [{ type: 'text', text: ContextService.current(extra.sessionId ?? 'default') ?? 'none' }] };
  });
  return server;
}
"),
            Program::v1("a class in another file, behind a throwing accessor").category("app-state").store("baskets:app-state:handle:refused").file("src/baskets.ts", r"
export interface Basket { currency: string; items: string[] }
export class Baskets {
  private readonly baskets = new Map<string, Basket>();
  of(id: string | undefined): Basket {
    if (!id) throw new Error('this server needs a session');
    let basket = this.baskets.get(id);
    if (!basket) { basket = { currency: 'EUR', items: [] }; this.baskets.set(id, basket); }
    return basket;
  }
}
").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Baskets } from './baskets.js';
const store = new Baskets();
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('add_item', { inputSchema: { sku: z.string() } }, async ({ sku }, { sessionId }) => {
    store.of(sessionId).items.push(sku);
    return { content: [{ type: 'text', text: 'added' }] };
  });
  server.registerTool('checkout', { description: 'Pay' }, async (extra) => {
    const basket = store.of(extra.sessionId);
    return { content: [{ type: 'text', text: `${basket.items.length} items in ${basket.currency}` }] };
  });
  return server;
}
"),
            Program::commonjs("low-level Server, a plain object, JavaScript").category("app-state").store("tallies:app-state:handle:collapsed").js(r"
const http = require('http');
const { randomUUID } = require('crypto');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const tallies = {};
const server = new Server({ name: 'tally', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'count', inputSchema: { type: 'object' } }] }));
server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
  const words = (tallies[extra.sessionId] ||= []);
  words.push(request.params.arguments.word);
  return { content: [{ type: 'text', text: words.join(' ') }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport).then(() => http.createServer((q, s) => transport.handleRequest(q, s)).listen(3000));
"),
            Program::with("Redis, the id in a template", "ioredis").category("app-state").store("plan-:app-state:handle:collapsed").stateful(r"
import { z } from 'zod';
import Redis from 'ioredis';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const redis = new Redis(process.env.REDIS_URL ?? '');
export function buildServer() {
  const server = new McpServer({ name: 'planner', version: '1.0.0' });
  server.registerTool('add_step', { inputSchema: { step: z.string() } }, async ({ step }, extra) => {
    const key = `plan-${extra.sessionId}`;
    const plan = JSON.parse((await redis.get(key)) ?? '[]') as string[];
    plan.push(step);
    await redis.set(key, JSON.stringify(plan), 'EX', 3600);
    return { content: [{ type: 'text', text: plan.join('\n') }] };
  });
  return server;
}
"),
            Program::v2("ctx.sessionId on the second SDK").category("app-state").store("notes:app-state:handle:collapsed").ts(r"
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import * as z from 'zod';
const notes: Record<string, string[]> = {};
const server = new McpServer({ name: 'notes', version: '1.0.0' });
server.registerTool('note', { inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
  const mine = (notes[ctx.sessionId as string] ??= []);
  mine.push(text);
  return { content: [{ type: 'text', text: String(mine.length) }] };
});
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);
createServer((req, res) => void transport.handleRequest(req, res)).listen(3000);
"),
            Program::v2("the raw header, read by the tool under the modern entry point").category("app-state").store("ledgers:app-state:handle:spoofed").modern(r"
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
const ledgers = new Map<string, number>();
export function buildServer() {
  const server = new McpServer({ name: 'ledger', version: '1.0.0' });
  server.registerTool('book', { inputSchema: z.object({ amount: z.number() }) }, async ({ amount }, ctx) => {
    const id = String(ctx.http?.req?.headers.get('mcp-session-id'));
    const sum = (ledgers.get(id) ?? 0) + amount;
    ledgers.set(id, sum);
    return { content: [{ type: 'text', text: `balance ${sum}` }] };
  });
  return server;
}
"),
            Program::bare("a protocol written by hand in Next.js route handlers", r#"{"name":"hand","dependencies":{"next":"^15.0.0"}}"#).category("app-state").store("games:app-state:*:*").file("app/mcp/route.ts", r"
import { randomUUID } from 'node:crypto';
const games = new Map<string, { moves: string[] }>();
export async function POST(request: Request) {
  const message = await request.json();
  if (message.method === 'initialize') {
    const sid = randomUUID();
    games.set(sid, { moves: [] });
    return Response.json({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'chess', version: '1' } } },
      { headers: { 'Mcp-Session-Id': sid } });
  }
  const game = games.get(request.headers.get('Mcp-Session-Id') ?? '');
  if (!game) return new Response('unknown session', { status: 404 });
  if (message.method === 'tools/call' && message.params.name === 'move') {
    game.moves.push(message.params.arguments.move);
    return Response.json({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: game.moves.join(' ') }] } });
  }
  return Response.json({ jsonrpc: '2.0', id: message.id, result: { tools: [{ name: 'move', inputSchema: { type: 'object' } }] } });
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
            Program::v1("an ordinary argument called session_id").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const chains = new Map<string, string[]>();
export function buildServer() {
  const server = new McpServer({ name: 'thoughts', version: '1.0.0' });
  server.registerTool('think', { inputSchema: { session_id: z.string(), thought: z.string() } }, async ({ session_id, thought }) => {
    const chain = chains.get(session_id) ?? [];
    chain.push(thought);
    chains.set(session_id, chain);
    return { content: [{ type: 'text', text: String(chain.length) }] };
  });
  return server;
}
").category("transport-map"),
            Program::v1("keyed by the authenticated user").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const lists = new Map<string, string[]>();
export function buildServer() {
  const server = new McpServer({ name: 'lists', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { item: z.string() } }, async ({ item }, extra) => {
    const owner = extra.authInfo?.extra?.sub as string | undefined;
    if (!owner) throw new Error('sign in first');
    const list = lists.get(owner) ?? [];
    list.push(item);
    lists.set(owner, list);
    return { content: [{ type: 'text', text: list.join(', ') }] };
  });
  return server;
}
"),
            Program::v1("express-session beside a stateless endpoint").category("none").stateless(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('open_hours', { description: 'When' }, async () => ({ content: [{ type: 'text', text: '9 to 5' }] }));
  return server;
}
").file("src/web.ts", r"
import express from 'express';
import session from 'express-session';
const carts: Record<string, string[]> = {};
export const web = express();
web.use(session({ secret: process.env.SECRET ?? '', resave: false, saveUninitialized: true }));
web.post('/cart/:sku', (req, res) => {
  (carts[req.sessionID] ??= []).push(req.params.sku);
  res.json(carts[req.session.id]);
});
"),
        ],
    );
}
