import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export function closeOnSignal(open: Map<string, StreamableHTTPServerTransport>) {
  process.on('SIGINT', async () => {
    for (const id of open.keys()) {
      await open.get(id)?.close();
      open.delete(id);
    }
    console.error('closed');
    process.exit(0);
  });
}
