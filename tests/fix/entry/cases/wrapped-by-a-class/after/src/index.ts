import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { Zones } from './zones.js';

class ClockServer {
  private readonly server = new McpServer({ name: 'clock', version: '1.0.0' });

  constructor(private readonly zones: Zones) {
    this.setUpTools();
  }

  private setUpTools(): void {
    this.server.registerTool('now', { inputSchema: { zone: z.string() } }, async ({ zone }) => ({
      content: [{ type: 'text', text: this.zones.now(zone) }],
    }));
  }

  async connect(transport: StreamableHTTPServerTransport | StdioServerTransport): Promise<void> {
    await this.server.connect(transport);
  }
}

async function main(): Promise<void> {
  const zones = new Zones();
  if (!process.argv.includes('--http')) {
    await new ClockServer(zones).connect(new StdioServerTransport());
    return;
  }
  createServer(async (req, res) => {
    if (req.method !== 'POST') {
      res
        .writeHead(405, { Allow: 'POST', 'Content-Type': 'application/json' })
        .end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32000, message: 'Method not allowed.' },
            id: null,
          }),
        );
      return;
    }

    try {
      const clock = new ClockServer(zones);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      });
      res.on('close', () => void transport.close());
      await clock.connect(transport);
      await transport.handleRequest(req, res);
    } catch (error) {
      console.error('request failed', error);
      if (!res.headersSent) {
        res.writeHead(500, { 'Content-Type': 'application/json' }).end(
          JSON.stringify({
            jsonrpc: '2.0',
            error: { code: -32603, message: 'Internal server error' },
            id: null,
          }),
        );
      }
    }
  }).listen(3000);
}

void main();
