// Real clients of both SDK generations and bare requests, all over a fetch that notes every response.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';

/** How each kind of v2 client finds out which revision the server speaks. `v1` is the client of SDK v1. */
const NEGOTIATION = { pinned: { mode: { pin: '2026-07-28' } }, auto: { mode: 'auto' }, legacy: { mode: 'legacy' } };
const ME = { name: 'bench', version: '1' };
const ANSWER_MS = 10_000;

export class Wire {
  constructor(context) {
    const require = createRequire(path.join(context.clients, 'package.json'));
    this.v1 = {
      ...require('@modelcontextprotocol/sdk/client/index.js'),
      ...require('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    };
    this.v2 = require('@modelcontextprotocol/client');
    this.urls = context.urls.map((url) => new URL(url));
    this.kinds = context.kinds;
    this.users = context.users ?? {};
    this.user = Object.keys(this.users)[0];
    /** Every response so far: what was asked, and the status and session id that came back. */
    this.responses = [];
    this.fetch = async (url, init) => {
      const response = await fetch(url, init);
      const { status, headers } = response;
      this.responses.push({ asked: asked(init), status, session: headers.get('mcp-session-id') });
      return response;
    };
  }

  headers(user = this.user) {
    return this.users[user] ?? {};
  }

  /** A connection of its own. */
  async connect(kind, { user, headers = {}, instance = 0 } = {}) {
    const { Client, StreamableHTTPClientTransport } = kind === 'v1' ? this.v1 : this.v2;
    const client = new Client(ME, kind === 'v1' ? {} : { versionNegotiation: NEGOTIATION[kind] });
    client.wire = new StreamableHTTPClientTransport(this.urls[instance], {
      fetch: this.fetch,
      requestInit: { headers: { ...this.headers(user), ...headers } },
    });
    await client.connect(client.wire, { timeout: ANSWER_MS });
    return client;
  }

  /** One connection of each kind, at least two. */
  async connectAll(options) {
    const kinds = this.kinds.length > 1 ? this.kinds : [...this.kinds, ...this.kinds];
    return Promise.all(kinds.map((kind) => this.connect(kind, options)));
  }

  /** A request without any client: `{ status, headers, message }`, where `message` is the JSON-RPC answer if there is one. */
  async post(method, params, headers = {}, id = randomUUID()) {
    return this.send('POST', headers, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  async send(verb, headers = {}, body = undefined) {
    const response = await this.fetch(this.urls[0], {
      method: verb,
      headers: {
        ...this.headers(),
        accept: body === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const endless = body === undefined && response.ok;
    if (endless) await response.body?.cancel();
    return { status: response.status, headers: response.headers, message: endless ? undefined : answer(await response.text()) };
  }
}

function asked(init) {
  const verb = init?.method ?? 'GET';
  try {
    return `${verb} ${JSON.parse(init.body).method}`;
  } catch {
    return verb;
  }
}

/** The JSON-RPC answer in a body that is JSON or an event stream. */
function answer(text) {
  const events = text.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
  for (const candidate of [text, ...events]) {
    try {
      const message = JSON.parse(candidate);
      if (message.result !== undefined || message.error !== undefined) return message;
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** Text, error flag and structured part of a tool's result. */
export function told(result) {
  const text = (result.content ?? []).map((part) => part.text ?? '').join('');
  return { text, error: !!result.isError, data: result.structuredContent };
}

/** A tool call. An error of the protocol shows as `thrown`. */
export async function call(client, tool, args = {}) {
  try {
    return told(await client.callTool({ name: tool, arguments: args }, undefined, { timeout: ANSWER_MS }));
  } catch (error) {
    return { thrown: String(error.message), error: true };
  }
}

const LISTS = {
  tools: async (client) => (await client.listTools()).tools,
  prompts: async (client) => (await client.listPrompts()).prompts,
  resources: async (client) => (await client.listResources()).resources,
  templates: async (client) => (await client.listResourceTemplates()).resourceTemplates,
};

/** One of the four lists; empty where the server has no such thing. */
export async function list(client, which) {
  try {
    return await LISTS[which](client);
  } catch (error) {
    if (error.code === -32601) return [];
    throw error;
  }
}

/** All four lists as one text: content and order of the entries count, the order of keys does not. */
export async function lists(client) {
  const all = {};
  for (const which of Object.keys(LISTS)) all[which] = await list(client, which);
  return JSON.stringify(all, (_key, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
