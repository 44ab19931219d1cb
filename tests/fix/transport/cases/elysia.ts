import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { buildServer } from "./tools.js";
import { Elysia } from "elysia";

const transports: Record<string, WebStandardStreamableHTTPServerTransport> = {};
async function serveMcp(request: Request): Promise<Response> {
  const id = request.headers.get("mcp-session-id") ?? undefined;
  if (id && transports[id]) return transports[id].handleRequest(request);
  if (request.method !== "POST") return new Response("no session", { status: 400 });
  const t = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID(), onsessioninitialized: (sid) => { transports[sid] = t; } });
  await buildServer().connect(t);
  return t.handleRequest(request);
}

new Elysia().get("/mcp", ({ request }) => serveMcp(request)).post("/mcp", ({ request }) => serveMcp(request)).delete("/mcp", ({ request }) => serveMcp(request)).listen(3000);
