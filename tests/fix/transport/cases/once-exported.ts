import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { buildServer } from './tools.js';

const transport = new WebStandardStreamableHTTPServerTransport({
  sessionIdGenerator: () => crypto.randomUUID(),
  enableJsonResponse: true,
});
const server = buildServer();
let ready: Promise<void> | null = null;

const ensureReady = () => (ready ??= server.connect(transport));

export async function POST(request: Request): Promise<Response> {
  await ensureReady();
  return transport.handleRequest(request);
}

export async function GET(request: Request): Promise<Response> {
  await ensureReady();
  return transport.handleRequest(request);
}
