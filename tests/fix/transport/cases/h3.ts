import { randomUUID } from "node:crypto";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { buildServer } from "./tools.js";
import { createApp, createRouter, defineEventHandler, getHeader, readBody } from "h3";

const transports: Record<string, StreamableHTTPServerTransport> = {};
async function open(id: string | undefined) {
  if (id && transports[id]) return transports[id];
  const t = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (sid) => { transports[sid] = t; } });
  await buildServer().connect(t);
  return t;
}

const app = createApp(); const router = createRouter();
router.post("/mcp", defineEventHandler(async (event) => { const t = await open(getHeader(event, "mcp-session-id")); await t.handleRequest(event.node.req, event.node.res, await readBody(event)); }));
router.get("/mcp", defineEventHandler(async (event) => { const t = transports[getHeader(event, "mcp-session-id") ?? ""]; if (!t) { event.node.res.statusCode = 400; return "no session"; } await t.handleRequest(event.node.req, event.node.res); }));
router.delete("/mcp", defineEventHandler(async (event) => { const t = transports[getHeader(event, "mcp-session-id") ?? ""]; if (!t) { event.node.res.statusCode = 400; return "no session"; } await t.handleRequest(event.node.req, event.node.res); }));
app.use(router);
