//! `session-object-key`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-object-key";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("a WeakMap by server").category("app-state").store("tabs:app-state:handle:lost").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const tabs = new WeakMap<McpServer, string[]>();
function tabsOf(server: McpServer) {
  if (!tabs.has(server)) tabs.set(server, []);
  return tabs.get(server)!;
}
export function buildServer() {
  const server = new McpServer({ name: 'tabs', version: '1.0.0' });
  server.registerTool('open_tab', { inputSchema: { url: z.string() } }, async ({ url }) => {
    tabsOf(server).push(url);
    return { content: [{ type: 'text', text: `${tabsOf(server).length} tabs` }] };
  });
  return server;
}
"),
            Program::v1("a Map by the low-level server").category("app-state").store("boards:app-state:handle:lost").stateful(r"
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const boards = new Map<Server, string[]>();
export function buildServer() {
  const server = new Server({ name: 'board', version: '1.0.0' }, { capabilities: { tools: {} } });
  boards.set(server, []);
  server.onclose = () => { boards.delete(server); };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'draw', inputSchema: { type: 'object' as const } }] }));
  server.setRequestHandler(CallToolRequestSchema, async (request) => {
    const board = boards.get(server)!;
    board.push(String(request.params.arguments?.shape));
    return { content: [{ type: 'text', text: board.join(',') }] };
  });
  return server;
}
"),
            Program::v1("a WeakMap by transport").category("app-state").store("cursors:app-state:handle:lost").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
const cursors = new WeakMap<Transport, { line: number }>();
export function buildServer() {
  const server = new McpServer({ name: 'reader', version: '1.0.0' });
  server.registerTool('next_line', { description: 'Reads on' }, async () => {
    const transport = server.server.transport!;
    const cursor = cursors.get(transport) ?? { line: 0 };
    cursor.line += 1;
    cursors.set(transport, cursor);
    return { content: [{ type: 'text', text: `line ${cursor.line}` }] };
  });
  return server;
}
"),
Program::v1("an attribute planted on the server").category("app-state").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('note', { inputSchema: { text: z.string() } }, async ({ text }) => {
    const mine = ((server as any)._notes ??= []) as string[];
    mine.push(text);
    return { content: [{ type: 'text', text: String(mine.length) }] };
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
            Program::v1("start times by request").category("transport-map").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
").file("src/timing.ts", r"
import type { NextFunction, Request, Response } from 'express';
const started = new WeakMap<Request, number>();
export function timing(req: Request, res: Response, next: NextFunction) {
  started.set(req, Date.now());
  res.on('finish', () => console.error(Date.now() - (started.get(req) ?? 0)));
  next();
}
"),
            Program::v1("a memo by schema object").category("none").stateless(r"
import { z, type ZodTypeAny } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const described = new WeakMap<ZodTypeAny, string>();
function describe(schema: ZodTypeAny) {
  let text = described.get(schema);
  if (text === undefined) { text = JSON.stringify(schema._def); described.set(schema, text); }
  return text;
}
const point = z.object({ x: z.number(), y: z.number() });
export function buildServer() {
  const server = new McpServer({ name: 'schemas', version: '1.0.0' });
  server.registerTool('schema', { description: 'Of a point' }, async () => ({ content: [{ type: 'text', text: describe(point) }] }));
  return server;
}
"),
            Program::v1("hooks and settings of the SDK's server").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.server.onerror = (error) => console.error(error);
  (server as any)._label = 'notes';
  server.registerTool('label', { description: 'Its label' }, async () => ({ content: [{ type: 'text', text: (server as any)._label }] }));
  return server;
}
"),
        ],
    );
}
