//! `session-keyed-telemetry`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-keyed-telemetry";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Warning,
        &[
            Program::v1("a log line in a tool").facet("telemetry").category("transport-map").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async (extra) => {
    console.error(`[${extra.sessionId}] now`);
    return { content: [{ type: 'text', text: 'noon' }] };
  });
  return server;
}
"),
            Program::v1("a limit by mere count").facet("telemetry").category("transport-map").store("calls:telemetry:request:collapsed").stateful(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const calls = new Map<string, number>();
function allowed(extra: { sessionId?: string }) {
  const key = extra.sessionId ?? 'anonymous';
  calls.set(key, (calls.get(key) ?? 0) + 1);
  return calls.get(key)! <= 100;
}
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async (extra) => {
    if (!allowed(extra)) return { isError: true, content: [{ type: 'text', text: 'too many calls' }] };
    return { content: [{ type: 'text', text: 'noon' }] };
  });
  return server;
}
"),
            Program::with("a span attribute in the route, Hono, one transport", "@opentelemetry/api").facet("telemetry").category("setup-only").ts(r"
import { Hono } from 'hono';
import { trace } from '@opentelemetry/api';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
const tracer = trace.getTracer('clock');
const server = new McpServer({ name: 'clock', version: '1.0.0' });
const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
await server.connect(transport);
const app = new Hono();
app.post('/mcp', (c) => tracer.startActiveSpan('mcp', async (span) => {
  span.setAttribute('mcp.session', c.req.header('mcp-session-id') ?? '');
  try { return await transport.handleRequest(c.req.raw); } finally { span.end(); }
}));
export default app;
"),
            Program::with("pino in a CommonJS route", "pino").facet("telemetry").category("setup-only").file("server.cjs", r"
const express = require('express');
const pino = require('pino');
const { randomUUID } = require('node:crypto');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const log = pino();
const server = new McpServer({ name: 'clock', version: '1.0.0' });
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
server.connect(transport);
const app = express();
app.use(express.json());
app.post('/mcp', (req, res) => {
  log.info({ session: req.headers['mcp-session-id'], method: req.body.method }, 'request');
  return transport.handleRequest(req, res, req.body);
});
app.listen(3000);
"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("a log with the id of the request").category("transport-map").stateful(
                r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async (extra) => {
    console.error(`[${extra.requestId}] now`);
    return { content: [{ type: 'text', text: 'noon' }] };
  });
  return server;
}
",
            ),
            Program::v1("a limit by address")
                .category("none")
                .stateless(
                    r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: 'noon' }] }));
  return server;
}
",
                )
                .file(
                    "src/limit.ts",
                    r"
import type { NextFunction, Request, Response } from 'express';
const calls = new Map<string, number>();
export function limit(req: Request, res: Response, next: NextFunction) {
  const key = req.ip ?? 'unknown';
  calls.set(key, (calls.get(key) ?? 0) + 1);
  if (calls.get(key)! > 100) { res.status(429).end(); return; }
  next();
}
",
                ),
            Program::v1("a log with an argument called sessionId").category("none").stateless(
                r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'recordings', version: '1.0.0' });
  server.registerTool('play', { inputSchema: { sessionId: z.string() } }, async ({ sessionId }) => {
    console.error('playing', sessionId);
    const answer = await fetch(`https://api.example/recordings/${sessionId}`);
    return { content: [{ type: 'text', text: await answer.text() }] };
  });
  return server;
}
",
            ),
        ],
    );
}
