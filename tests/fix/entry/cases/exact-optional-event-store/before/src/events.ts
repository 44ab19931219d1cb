import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
export class InMemoryEventStore implements EventStore {
  private events = new Map<string, { streamId: string; message: unknown }>();
  async storeEvent(streamId: string, message: unknown) { const id = `${streamId}_${this.events.size}`; this.events.set(id, { streamId, message }); return id; }
  async replayEventsAfter(lastEventId: string) { return lastEventId.split('_')[0]; }
}
