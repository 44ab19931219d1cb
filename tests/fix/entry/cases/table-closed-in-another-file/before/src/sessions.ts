import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export const sessions: Record<string, StreamableHTTPServerTransport> = {};
