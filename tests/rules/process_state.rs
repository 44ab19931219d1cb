//! `process-lifetime-state`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "process-lifetime-state";

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Note,
        &[
            Program::python("a record of the module under a name that is written out, Python, stdio", "mcp>=1.9,<2", "from mcp.server.fastmcp import FastMCP\n\n_state = {'project': None}\nmcp = FastMCP('desk')\n\n@mcp.tool()\ndef use(project: str) -> str:\n    _state['project'] = project\n    return project\n\nmcp.run()\n").category("none").facet("process-state"),
            Program::v1("a variable of the module, stdio").category("none").facet("process-state").stdio(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
let document = '';
export function buildServer() {
  const server = new McpServer({ name: 'editor', version: '1.0.0' });
  server.registerTool('append', { inputSchema: { text: z.string() } }, async ({ text }) => {
    document += text;
    return { content: [{ type: 'text', text: `${document.length} characters` }] };
  });
  return server;
}
"),
            Program::commonjs("a field of one object, JavaScript, stdio").category("none").facet("process-state").js(r"
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
class Game {
  constructor() { this.moves = []; }
  play(move) { this.moves.push(move); return this.moves.join(' '); }
}
const game = new Game();
const server = new McpServer({ name: 'chess', version: '1.0.0' });
server.registerTool('move', { inputSchema: { move: z.string() } }, async ({ move }) => ({ content: [{ type: 'text', text: game.play(move) }] }));
server.connect(new StdioServerTransport());
"),
            Program::python("a field of one object, Python, stdio", "mcp>=1.9,<2", "from mcp.server.fastmcp import FastMCP\n\nclass Desk:\n    def __init__(self):\n        self.project = None\n\n    def use(self, project):\n        self.project = project\n\ndesk = Desk()\nmcp = FastMCP('desk')\n\n@mcp.tool()\ndef use(project: str) -> str:\n    desk.use(project)\n    return project\n\n@mcp.tool()\ndef build() -> str:\n    return f'built {desk.project}'\n\nmcp.run()\n").category("none").facet("process-state"),
            Program::v1("an array of the module, stateless HTTP").category("none").facet("process-state").stateless(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const notes: string[] = [];
export function buildServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('add', { inputSchema: { text: z.string() } }, async ({ text }) => { notes.push(text); return { content: [{ type: 'text', text: 'added' }] }; });
  server.registerTool('list', { description: 'All' }, async () => ({ content: [{ type: 'text', text: notes.join('\n') }] }));
  return server;
}
"),
            Program::v1("a project that was chosen, low level, stdio").category("none").facet("process-state").stdio(r"
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
let project: string | undefined;
export function buildServer() {
  const server = new Server({ name: 'projects', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'use_project', inputSchema: { type: 'object' as const } }, { name: 'build', inputSchema: { type: 'object' as const } }] }));
  server.setRequestHandler(CallToolRequestSchema, async (request) => {
    switch (request.params.name) {
      case 'use_project':
        project = String(request.params.arguments?.project);
        return { content: [{ type: 'text', text: project }] };
      case 'build':
        return { content: [{ type: 'text', text: `built ${project}` }] };
      default:
        throw new Error('unknown tool');
    }
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
            Program::python("a table under keys that the call chooses, Python, stdio", "mcp>=1.9,<2", "from mcp.server.fastmcp import FastMCP\n\nNOTES: dict[str, str] = {}\nmcp = FastMCP('desk')\n\n@mcp.tool()\ndef note(name: str, text: str) -> str:\n    NOTES[name] = text\n    return text\n\nmcp.run()\n").category("none"),
            Program::commonjs("what an object keeps for itself, JavaScript, stdio").category("none").js(r"
const { z } = require('zod');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
class Api {
  constructor() { this.token = null; this.calls = 0; this.known = {}; }
  async get(path) {
    this.calls += 1;
    this.token = this.token || await (await fetch('https://api.example/token')).text();
    this.known[path] = this.known[path] || await (await fetch('https://api.example/' + path)).text();
    return this.known[path];
  }
}
const api = new Api();
const server = new McpServer({ name: 'api', version: '1.0.0' });
server.registerTool('get', { inputSchema: { path: z.string() } }, async ({ path }) => ({ content: [{ type: 'text', text: await api.get(path) }] }));
server.connect(new StdioServerTransport());
"),
            Program::v1("a cache that spares work").category("none").stdio(r"
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const cache = new Map<string, string>();
async function load(path: string) {
  const hit = cache.get(path);
  if (hit !== undefined) return hit;
  const text = await readFile(path, 'utf8');
  cache.set(path, text);
  return text;
}
export function buildServer() {
  const server = new McpServer({ name: 'files', version: '1.0.0' });
  server.registerTool('read', { inputSchema: { path: z.string() } }, async ({ path }) => ({ content: [{ type: 'text', text: await load(path) }] }));
  return server;
}
"),
            Program::v1("tables and settings that are only read").category("none").stdio(r"
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
const table: Record<string, number> = { a: 1, b: 2 };
let root = process.cwd();
if (process.argv[2]) root = process.argv[2];
export function buildServer() {
  const server = new McpServer({ name: 'table', version: '1.0.0' });
  server.registerTool('look_up', { inputSchema: { key: z.string() } }, async ({ key }) => ({ content: [{ type: 'text', text: `${root} ${table[key]}` }] }));
  return server;
}
"),
            Program::v1("a client that is made on demand").category("none").stdio(r"
import { z } from 'zod';
import { Pool } from 'pg';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
let pool: Pool | undefined;
function db() { pool ??= new Pool(); return pool; }
export function buildServer() {
  const server = new McpServer({ name: 'sql', version: '1.0.0' });
  server.registerTool('query', { inputSchema: { sql: z.string() } }, async ({ sql }) => ({ content: [{ type: 'text', text: JSON.stringify((await db().query(sql)).rows) }] }));
  return server;
}
"),
        ],
    );
}
