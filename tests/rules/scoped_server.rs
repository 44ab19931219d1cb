//! `session-scoped-server`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-scoped-server";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
            Program::v1("an array captured by the factory").category("app-state").store("notes:app-state:handle:lost").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const notes: string[] = [];
  server.registerTool('add_note', { inputSchema: { text: z.string() } }, async ({ text }) => {
    notes.push(text);
    return { content: [{ type: 'text', text: `${notes.length} notes` }] };
  });
  return server;
}
"),
            Program::v1("a counter behind nested functions, an arrow factory").category("app-state").store("total:app-state:handle:lost").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export const buildServer = (): McpServer => {
  let total = 0;
  const add = (n: number) => { total += n; return total; };
  const server = new McpServer({ name: 'sum', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { n: z.number() } }, async ({ n }) => ({ content: [{ type: 'text', text: String(add(n)) }] }));
  server.registerTool('total', { description: 'So far' }, async () => ({ content: [{ type: 'text', text: String(total) }] }));
  return server;
};
"),
            Program::v1("a field of a class that is made per session").category("app-state").store("items:app-state:handle:lost").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
class Shop {
  readonly server = new McpServer({ name: 'shop', version: '1.0.0' });
  private items: string[] = [];
  constructor() {
    this.server.registerTool('add_item', { inputSchema: { sku: z.string() } }, async ({ sku }) => this.add(sku));
    this.server.registerTool('list_items', { description: 'All' }, async () => ({ content: [{ type: 'text', text: this.items.join(', ') }] }));
  }
  private async add(sku: string) {
    this.items.push(sku);
    return { content: [{ type: 'text' as const, text: `${this.items.length} items` }] };
  }
}
export const buildServer = () => new Shop().server;
"),
            Program::v1("a state object passed to registrations in other files").category("app-state").file("src/state.ts", r"
export interface State { goal: string; steps: string[] }
export const freshState = (): State => ({ goal: '', steps: [] });
").file("src/tools/steps.ts", r"
import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { State } from '../state.js';
export function registerSteps(server: McpServer, state: State) {
  server.registerTool('set_goal', { inputSchema: { goal: z.string() } }, async ({ goal }) => {
    state.goal = goal;
    return { content: [{ type: 'text', text: 'set' }] };
  });
  server.registerTool('add_step', { inputSchema: { step: z.string() } }, async ({ step }) => {
    state.steps.push(step);
    return { content: [{ type: 'text', text: `${state.goal}: ${state.steps.length}` }] };
  });
}
").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { freshState } from './state.js';
import { registerSteps } from './tools/steps.js';
export function buildServer() {
  const server = new McpServer({ name: 'plan', version: '1.0.0' });
  const state = freshState();
  registerSteps(server, state);
  return server;
}
").store("state:app-state:handle:lost"),
            Program::commonjs("HTTP+SSE, a server per connection, JavaScript").category("app-state").store("history:app-state:handle:lost").js(r"
const express = require('express');
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { SSEServerTransport } = require('@modelcontextprotocol/sdk/server/sse.js');
const open = {};
function makeServer() {
  const history = [];
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.tool('say', { text: z.string() }, async ({ text }) => { history.push(text); return { content: [{ type: 'text', text: history.join('|') }] }; });
  return server;
}
const app = express();
app.get('/sse', async (req, res) => {
  const t = new SSEServerTransport('/messages', res);
  open[t.sessionId] = t;
  await makeServer().connect(t);
});
app.post('/messages', (req, res) => open[req.query.sessionId].handlePostMessage(req, res));
app.listen(3001);
"),
            Program::v2("the same factory under the modern entry point").store("stack:app-state:handle:lost").modern(r"
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
export function buildServer() {
  const stack: number[] = [];
  const server = new McpServer({ name: 'rpn', version: '1.0.0' });
  server.registerTool('push', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => {
    stack.push(n);
    return { content: [{ type: 'text', text: stack.join(' ') }] };
  });
  server.registerTool('pop', { description: 'Top' }, async () => ({ content: [{ type: 'text', text: String(stack.pop()) }] }));
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
            Program::v2("what one call keeps for itself, the modern entry point").category("none").modern(r"
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
export function buildServer() {
  const stack: number[] = [];
  const server = new McpServer({ name: 'rpn', version: '1.0.0' });
  server.registerTool('push', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => {
    stack.push(n);
    return { content: [{ type: 'text', text: stack.join(' ') }] };
  });
  return server;
}
"),
            Program::v2("what the module keeps, the modern entry point").category("none").modern(r"
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
const stack: number[] = [];
export function buildServer() {
  const server = new McpServer({ name: 'rpn', version: '1.0.0' });
  server.registerTool('push', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => {
    stack.push(n);
    return { content: [{ type: 'text', text: stack.join(' ') }] };
  });
  server.registerTool('pop', { description: 'Top' }, async () => ({ content: [{ type: 'text', text: String(stack.pop()) }] }));
  return server;
}
"),
            Program::v1("captured values that nobody changes").category("transport-map").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const rates = new Map([['EUR', 1], ['USD', 1.1]]);
  const units = ['EUR', 'USD'];
  const server = new McpServer({ name: 'rates', version: '1.0.0' });
  server.registerTool('rate', { inputSchema: { unit: z.string() } }, async ({ unit }) => ({ content: [{ type: 'text', text: `${units.includes(unit)} ${rates.get(unit)}` }] }));
  return server;
}
"),
            Program::v1("state of one call").category("transport-map").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'words', version: '1.0.0' });
  server.registerTool('split', { inputSchema: { text: z.string() } }, async ({ text }) => {
    const out: string[] = [];
    let count = 0;
    for (const word of text.split(' ')) { out.push(word); count += 1; }
    return { content: [{ type: 'text', text: `${count}: ${out.join('|')}` }] };
  });
  return server;
}
"),
            Program::v1("a pool made once, outside the factory").category("transport-map").stateful(r"
import { z } from 'zod';
import { Pool } from 'pg';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const pool = new Pool();
export function buildServer() {
  const server = new McpServer({ name: 'sql', version: '1.0.0' });
  server.registerTool('query', { inputSchema: { sql: z.string() } }, async ({ sql }) => ({ content: [{ type: 'text', text: JSON.stringify((await pool.query(sql)).rows) }] }));
  return server;
}
"),
            Program::v1("the same factory, once per process over stdio").category("none").stdio(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const notes: string[] = [];
  server.registerTool('add_note', { inputSchema: { text: z.string() } }, async ({ text }) => {
    notes.push(text);
    return { content: [{ type: 'text', text: `${notes.length} notes` }] };
  });
  return server;
}
"),
        ],
    );
}
