import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { buildServer } from './tools.js';

export class Registry extends EventEmitter {
  private readonly byId = new Map<string, StreamableHTTPServerTransport>();

  get size() {
    return this.byId.size;
  }

  find(id: string) {
    return this.byId.get(id);
  }

  async open() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.byId.set(id, transport);
        this.emit('open', id);
      },
    });
    transport.onclose = () => {
      const id = transport.sessionId;
      if (id && this.byId.delete(id)) this.emit('close', id);
    };
    await buildServer().connect(transport);
    return transport;
  }

  async closeAll() {
    for (const transport of this.byId.values()) await transport.close();
  }
}

export const registry = new Registry();
