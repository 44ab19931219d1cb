//! `session-guard`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-guard";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("evidence of an earlier read, a throw").category("app-state").store("read:guard:manual:*").stateful(r"
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const read = new Map<string, Set<string>>();
export function buildServer() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('read_file', { inputSchema: { path: z.string() } }, async ({ path }, extra) => {
    const seen = read.get(extra.sessionId!) ?? new Set();
    seen.add(path);
    read.set(extra.sessionId!, seen);
    return { content: [{ type: 'text', text: await readFile(path, 'utf8') }] };
  });
  server.registerTool('write_file', { inputSchema: { path: z.string(), text: z.string() } }, async ({ path, text }, extra) => {
    if (!read.get(extra.sessionId!)?.has(path)) throw new Error('read it first');
    await writeFile(path, text);
    return { content: [{ type: 'text', text: 'written' }] };
  });
  return server;
}
"),
            Program::commonjs("an unlocked door, a plain object, JavaScript").category("app-state").store("unlocked:guard:*:*").js(r"
const http = require('http');
const { randomUUID } = require('crypto');
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const unlocked = {};
const server = new McpServer({ name: 'door', version: '1.0.0' });
server.registerTool('unlock', { inputSchema: { pin: z.string() } }, async ({ pin }, extra) => {
  if (pin !== process.env.PIN) throw new Error('wrong PIN');
  unlocked[extra.sessionId] = true;
  return { content: [{ type: 'text', text: 'unlocked' }] };
});
server.registerTool('open', { description: 'Opens the door' }, async (extra) => {
  if (!unlocked[extra.sessionId]) throw new Error('unlock it first');
  return { content: [{ type: 'text', text: 'open' }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport).then(() => http.createServer((q, s) => transport.handleRequest(q, s)).listen(3000));
"),
            Program::v1("a consent given once").category("app-state").store("consented:guard:mrtr|manual:*").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const consented = new Set<string>();
export function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  server.registerTool('agree', { description: 'Agrees to the terms' }, async (extra) => {
    consented.add(extra.sessionId!);
    return { content: [{ type: 'text', text: 'thank you' }] };
  });
  server.registerTool('pay', { inputSchema: { amount: z.number() } }, async ({ amount }, extra) => {
    if (!consented.has(extra.sessionId!)) throw new Error('agree to the terms first');
    return { content: [{ type: 'text', text: `paid ${amount}` }] };
  });
  return server;
}
"),
Program::v1("evidence of an earlier read").category("app-state").store("read:guard:manual:*").stateful(r"
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const read = new Map<string, Set<string>>();
export function buildServer() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('read_file', { inputSchema: { path: z.string() } }, async ({ path }, extra) => {
    const seen = read.get(extra.sessionId!) ?? new Set();
    seen.add(path);
    read.set(extra.sessionId!, seen);
    return { content: [{ type: 'text', text: await readFile(path, 'utf8') }] };
  });
  server.registerTool('write_file', { inputSchema: { path: z.string(), text: z.string() } }, async ({ path, text }, extra) => {
    if (!read.get(extra.sessionId!)?.has(path)) return { isError: true, content: [{ type: 'text', text: 'read it first' }] };
    await writeFile(path, text);
    return { content: [{ type: 'text', text: 'written' }] };
  });
  return server;
}
"),
            Program::commonjs("a lease with a holder, JavaScript").category("app-state").store("holders:guard:manual|principal:*").js(r"
const http = require('http');
const { randomUUID } = require('crypto');
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const holders = new Map();
const server = new McpServer({ name: 'printers', version: '1.0.0' });
server.registerTool('reserve', { inputSchema: { printer: z.string() } }, async ({ printer }, extra) => {
  const holder = holders.get(printer);
  if (holder && holder !== extra.sessionId) throw new Error(`${printer} is reserved by somebody else`);
  holders.set(printer, extra.sessionId);
  return { content: [{ type: 'text', text: 'reserved' }] };
});
server.registerTool('print', { inputSchema: { printer: z.string(), text: z.string() } }, async ({ printer, text }, extra) => {
  if (holders.get(printer) !== extra.sessionId) throw new Error('reserve it first');
  return { content: [{ type: 'text', text: `printed ${text.length}` }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport).then(() => http.createServer((q, s) => transport.handleRequest(q, s)).listen(3000));
"),
            Program::v1("a PIN, attempts and lock-out in a record, errors as answers").category("app-state").store("access:guard:manual:*").stateful(r"
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
interface Access { attempts: number; lockedUntil: number; openUntil: number }
const digest = (value: string) => createHash('sha256').update(value).digest();
const access: Record<string, Access> = {};
const accessOf = (id: string) => (access[id] ??= { attempts: 0, lockedUntil: 0, openUntil: 0 });
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });
export function buildServer() {
  const server = new McpServer({ name: 'safe', version: '1.0.0' });
  server.registerTool('open', { inputSchema: { word: z.string() } }, async ({ word }, extra) => {
    if (!extra.sessionId) return say('no session');
    const mine = accessOf(extra.sessionId);
    if (Date.now() < mine.lockedUntil) return say('wait');
    if (!timingSafeEqual(digest(word), digest(process.env.WORD ?? ''))) {
      mine.attempts += 1;
      if (mine.attempts >= 3) mine.lockedUntil = Date.now() + 60_000;
      return say('no');
    }
    mine.openUntil = Date.now() + 60_000;
    return say('open');
  });
  server.registerTool('look', { description: 'Looks into it' }, async (extra) => {
    if (!extra.sessionId || accessOf(extra.sessionId).openUntil < Date.now()) return say('it is closed');
    return say('gold');
  });
  return server;
}
"),
            Program::python("a hashed password, asked by a variable", "mcp>=1.20", r"
import os, time
import bcrypt
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP('vault')
doors = {}
@mcp.tool()
def enter(word: str, ctx: Context) -> str:
    door = doors.setdefault(ctx.request_context.request.headers['mcp-session-id'], {'until': 0.0, 'failed': 0})
    right = bcrypt.checkpw(word.encode(), os.environ['HASH'].encode())
    if not right:
        door['failed'] += 1
        return 'no'
    door['until'] = time.time() + 60
    return 'yes'
@mcp.tool()
def look(ctx: Context) -> str:
    door = doors.get(ctx.request_context.request.headers['mcp-session-id'])
    if door is None or door['until'] < time.time():
        return 'closed'
    return 'gold'
mcp.run(transport='streamable-http')
").category("app-state").store("doors:guard:manual:*"),
            Program::v1("a spend cap").category("app-state").store("spent:guard:*:*").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const CAP = 50;
const spent = new Map<string, number>();
export function buildServer() {
  const server = new McpServer({ name: 'ads', version: '1.0.0' });
  server.registerTool('buy', { inputSchema: { euros: z.number() } }, async ({ euros }, { sessionId }) => {
    const before = spent.get(sessionId!) ?? 0;
    if (before + euros > CAP) return { isError: true, content: [{ type: 'text', text: `over the budget of ${CAP} euros` }] };
    spent.set(sessionId!, before + euros);
    return { content: [{ type: 'text', text: 'bought' }] };
  });
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
            Program::v1("a consent of the user").category("none").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const consented = new Set<string>();
export function buildServer() {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  server.registerTool('agree', { description: 'Agrees' }, async (extra) => {
    consented.add(String(extra.authInfo?.extra?.sub));
    return { content: [{ type: 'text', text: 'thank you' }] };
  });
  server.registerTool('pay', { inputSchema: { amount: z.number() } }, async ({ amount }, extra) => {
    if (!consented.has(String(extra.authInfo?.extra?.sub))) throw new Error('agree first');
    return { content: [{ type: 'text', text: `paid ${amount}` }] };
  });
  return server;
}
"),
            Program::v1("evidence in the call").category("none").stateless(r"
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const revisionOf = async (path: string) => createHash('sha256').update(await readFile(path)).digest('hex');
export function buildServer() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('write_file', { inputSchema: { path: z.string(), text: z.string(), revision: z.string() } }, async ({ path, text, revision }) => {
    if (revision !== (await revisionOf(path))) return { isError: true, content: [{ type: 'text', text: 'read it again' }] };
    await writeFile(path, text);
    return { content: [{ type: 'text', text: 'written' }] };
  });
  return server;
}
"),
            Program::v1("a transport map answers 404 for an unknown id").category("transport-map").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
"),
        ],
    );
}
