//! `session-dependent-list`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-dependent-list";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Warning,
        &[
            Program::v1("a tool registered inside a handler").facet("mutable-list").stateful(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'db', version: '1.0.0' });
  server.registerTool('connect_database', { inputSchema: { url: z.string() } }, async ({ url }) => {
    server.registerTool('query', { inputSchema: { sql: z.string() } }, async ({ sql }) => ({ content: [{ type: 'text', text: `${url}: ${sql}` }] }));
    server.sendToolListChanged();
    return { content: [{ type: 'text', text: 'connected' }] };
  });
  return server;
}
"),
            Program::v1("a tool enabled by another").facet("mutable-list").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'editor', version: '1.0.0' });
  const save = server.registerTool('save', { description: 'Saves' }, async () => ({ content: [{ type: 'text', text: 'saved' }] }));
  save.disable();
  server.registerTool('open', { description: 'Opens' }, async () => {
    save.enable();
    return { content: [{ type: 'text', text: 'open' }] };
  });
  return server;
}
"),
            Program::commonjs("a list handler that asks a map by session, low level, JavaScript").js(r"
const http = require('http');
const { randomUUID } = require('crypto');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const modes = new Map();
const ALL = [{ name: 'set_mode', inputSchema: { type: 'object' } }, { name: 'admin', inputSchema: { type: 'object' } }];
const server = new Server({ name: 'modes', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => ({ tools: modes.get(extra.sessionId) === 'admin' ? ALL : ALL.slice(0, 1) }));
server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
  modes.set(extra.sessionId, request.params.arguments.mode);
  return { content: [{ type: 'text', text: 'ok' }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport).then(() => http.createServer((q, s) => transport.handleRequest(q, s)).listen(3000));
"),
            Program::v2("a tool removed after use, second SDK, helper in another file").facet("mutable-list").file("src/once.ts", r"
import type { McpServer } from '@modelcontextprotocol/server';
export function registerOnce(server: McpServer) {
  const once = server.registerTool('activate', { description: 'Only once' }, async () => {
    once.remove();
    return { content: [{ type: 'text' as const, text: 'active' }] };
  });
}
").ts(r"
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { registerOnce } from './once.js';
const server = new McpServer({ name: 'licence', version: '1.0.0' });
registerOnce(server);
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);
createServer((q, s) => void transport.handleRequest(q, s)).listen(3000);
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("a list by the scopes of the request").category("none").stateless(r"
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const ALL = [{ name: 'read', scope: 'read', inputSchema: { type: 'object' as const } }, { name: 'write', scope: 'write', inputSchema: { type: 'object' as const } }];
export function buildServer() {
  const server = new Server({ name: 'files', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => ({ tools: ALL.filter((tool) => extra.authInfo?.scopes.includes(tool.scope)) }));
  return server;
}
"),
            Program::v1("tools registered in a loop, some by a flag").category("transport-map").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const names = ['one', 'two', 'three'];
export function buildServer() {
  const server = new McpServer({ name: 'loop', version: '1.0.0' });
  names.forEach((name) => {
    const tool = server.registerTool(name, { description: name }, async () => ({ content: [{ type: 'text', text: name }] }));
    if (process.env.READ_ONLY && name === 'three') tool.disable();
  });
  return server;
}
"),
            Program::v1("enable() of something else").category("transport-map").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { breakpoint } from './debugger.js';
export function buildServer() {
  const server = new McpServer({ name: 'debug', version: '1.0.0' });
  server.registerTool('break', { description: 'Breaks' }, async () => { breakpoint.enable(); return { content: [{ type: 'text', text: 'set' }] }; });
  return server;
}
").file("src/debugger.ts", "export const breakpoint = { enable() {}, disable() {} };\n"),
        ],
    );
}
