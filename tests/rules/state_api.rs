//! `session-state-api`.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, silent, speaks};

const RULE: &str = "session-state-api";
const AGENTS: &str = r#"{"name":"desk","type":"module","dependencies":{"agents":"^0.2.0","@modelcontextprotocol/sdk":"^1.20.0","zod":"^3.25.0"}}"#;
const FASTMCP: &str = r#"{"name":"notes","type":"module","dependencies":{"fastmcp":"^3.20.0","zod":"^3.25.0"}}"#;

#[test]
fn found() {
    speaks(
        RULE,
        Severity::Error,
        &[
Program::bare("an agent per session, setState", AGENTS).category("app-state").facet("session-api").ts(r"
import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
interface Env { KEY: string }
export class Desk extends McpAgent<Env, { open?: string }, Record<string, never>> {
  server = new McpServer({ name: 'desk', version: '1.0.0' });
  initialState = {};
  async init() {
    this.server.registerTool('open', { inputSchema: { id: z.string() } }, async ({ id }) => {
      this.setState({ open: id });
      return { content: [{ type: 'text', text: id }] };
    });
    this.server.registerTool('current', { description: 'What is open' }, async () => ({ content: [{ type: 'text', text: this.state.open ?? 'nothing' }] }));
  }
}
export default Desk.serve('/mcp');
"),
Program::bare("an agent per session, a counter in its state, tool()", AGENTS).category("app-state").ts(r"
import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
type State = { counter: number };
export class Counter extends McpAgent<unknown, State> {
  server = new McpServer({ name: 'counter', version: '1.0.0' });
  initialState: State = { counter: 0 };
  async init() {
    this.server.tool('add', { a: z.number() }, async ({ a }) => {
      this.setState({ ...this.state, counter: this.state.counter + a });
      return { content: [{ type: 'text', text: `Total: ${this.state.counter}` }] };
    });
  }
}
export default {
  fetch(request: Request, env: unknown, ctx: ExecutionContext) {
    return Counter.serveSSE('/sse').fetch(request, env, ctx);
  },
};
"),
Program::bare("fields of the session object of fastmcp", FASTMCP).category("app-state").ts(r"
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
type Mine = { notes: string[] };
const server = new FastMCP<Mine>({ name: 'notes', version: '1.0.0', authenticate: async () => ({ notes: [] }) });
server.addTool({
  name: 'add_note',
  description: 'Adds a note',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }, { session }) => {
    session!.notes.push(text);
    return `${session!.notes.length} notes`;
  },
});
server.start({ transportType: 'httpStream', httpStream: { port: 8080 } });
"),
            Program::python("what the client said when the session began, kept in the bag", "fastmcp>=3.2", r#"
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext


class Greets(Middleware):
    async def on_initialize(self, context: MiddlewareContext, call_next):
        result = await call_next(context)
        ctx = context.fastmcp_context
        if ctx is not None:
            await ctx.set_state("plain", True)
        return result


mcp = FastMCP("desk")
mcp.add_middleware(Greets())


@mcp.tool
async def greet(name: str, ctx: Context) -> str:
    return f"hello {name}" if await ctx.get_state("plain") else f"Dear {name}"


mcp.run(transport="http")
"#).category("app-state"),
        ],
    );
}

#[test]
fn not_found() {
    silent(
        RULE,
        &[
            Program::v1("a component with setState of its own").category("none").stdio(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Panel } from './panel.js';
const panel = new Panel();
export function buildServer() {
  const server = new McpServer({ name: 'panel', version: '1.0.0' });
  server.registerTool('draw', { description: 'Draws' }, async () => ({ content: [{ type: 'text', text: panel.draw() }] }));
  return server;
}
").file("src/panel.ts", r"
export class Panel {
  state = { open: true };
  setState(next: { open: boolean }) { this.state = next; }
  draw() { return this.state.open ? '[]' : '_'; }
}
"),
            Program::v1("the browser session of an admin page").category("none").stateless(r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function buildServer() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('hours', { description: 'When' }, async () => ({ content: [{ type: 'text', text: '9 to 5' }] }));
  return server;
}
").file("src/admin.ts", r"
import express from 'express';
import session from 'express-session';
export const admin = express();
admin.use(session({ secret: 'x', resave: false, saveUninitialized: false }));
admin.post('/login', (req, res) => { (req.session as any).user = req.body.user; res.end(); });
admin.get('/me', (req, res) => { res.json((req.session as any).user); });
"),
            Program::bare("an agent without state", AGENTS).ts(r"
import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export class Clock extends McpAgent {
  server = new McpServer({ name: 'clock', version: '1.0.0' });
  async init() {
    this.server.registerTool('now', { description: 'The time' }, async () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
  }
}
export default Clock.serve('/mcp');
"),
            Program::python("what each call is given anew by middleware", "fastmcp>=3.2", r#"
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext


class Greets(Middleware):
    async def on_call_tool(self, context: MiddlewareContext, call_next):
        ctx = context.fastmcp_context
        if ctx is not None:
            await ctx.set_state("plain", True)
        return await call_next(context)


mcp = FastMCP("desk")
mcp.add_middleware(Greets())


@mcp.tool
async def greet(name: str, ctx: Context) -> str:
    return f"hello {name}" if await ctx.get_state("plain") else f"Dear {name}"


mcp.run(transport="http")
"#).category("none").allow("implicit-sessions"),
        ],
    );
}
