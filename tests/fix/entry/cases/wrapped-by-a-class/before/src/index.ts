import { randomUUID } from 'node:crypto';
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
  const clock = new ClockServer(zones);
  if (!process.argv.includes('--http')) {
    await clock.connect(new StdioServerTransport());
    return;
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await clock.connect(transport);
  createServer(async (req, res) => {
    await transport.handleRequest(req, res);
  }).listen(3000);
}

void main();
