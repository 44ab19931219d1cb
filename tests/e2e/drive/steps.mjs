// The steps of a case file, one after the other, over as many connections as it names.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, list, lists } from './clients.mjs';
import { capture, check, fill, literally } from './expect.mjs';
import { property } from './report.mjs';

export async function run(wire, context) {
  const { steps, clients = {} } = context.drive;
  const stage = { wire, context, options: clients, clients: new Map(), names: {} };
  // A server that takes one connection only must not lose it to this one.
  const watcher = context.side === 'result' ? await wire.connect(wire.kinds[0]).catch(() => undefined) : undefined;
  const before = watcher && (await lists(watcher));
  await property(
    'steps',
    async () => {
      for (const [index, step] of steps.entries()) {
        try {
          await perform(step, stage);
        } catch (error) {
          throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${error.message}`);
        }
      }
    },
    60_000,
  );
  if (watcher) {
    await property('steps-keep-lists', async () => assert.equal(await lists(watcher), before, 'a list changed with a call'));
  }
}

/** The connection of that name, opened when it is first mentioned. The kinds of client take turns. */
async function client(name, { wire, options, clients }) {
  if (!clients.has(name)) {
    const { kind, user } = options[name] ?? {};
    clients.set(name, await wire.connect(kind ?? wire.kinds[clients.size % wire.kinds.length], { user }));
  }
  return clients.get(name);
}

const PERFORM = {
  /** { client, call: TOOL, args, expect, capture } */
  async call(step, stage) {
    const answer = await call(await client(step.client, stage), step.call, fill(step.args ?? {}, stage.names));
    check(answer, step.expect, stage.names);
    capture(answer, step.capture, stage.names);
  },
  /** { client, read: URI, expect } */
  async read(step, stage) {
    const reader = await client(step.client, stage);
    const uri = fill(step.read, stage.names);
    const answer = await attempt(async () => (await reader.readResource({ uri })).contents.map((part) => part.text).join(''));
    check(answer, step.expect, stage.names);
  },
  /** { client, prompt: NAME, args, expect } */
  async prompt(step, stage) {
    const asker = await client(step.client, stage);
    const request = { name: step.prompt, arguments: fill(step.args ?? {}, stage.names) };
    const answer = await attempt(async () => (await asker.getPrompt(request)).messages.map((m) => m.content.text).join('\n'));
    check(answer, step.expect, stage.names);
  },
  /** { client, list: tools|prompts|resources|templates, expect: [NAME…] } */
  async list(step, stage) {
    const entries = await list(await client(step.client, stage), step.list);
    assert.deepEqual(entries.map((entry) => entry.name), step.expect);
  },
  /** { connect: NAME, expect }: for connections that are refused */
  async connect(step, stage) {
    check(await attempt(async () => void (await client(step.connect, stage))), step.expect);
  },
  /** { session: NAME, expect: true|false }: whether that connection was given a session */
  async session(step, stage) {
    assert.equal((await client(step.session, stage)).wire.sessionId !== undefined, step.expect);
  },
  /** { http: VERB, path, headers, expect: { status, json } } */
  async http(step, stage) {
    const url = new URL(step.path, stage.wire.urls[0]);
    const response = await fetch(url, { method: step.http, headers: step.headers });
    if (step.expect.status !== undefined) assert.equal(response.status, step.expect.status);
    if (step.expect.json !== undefined) assert.deepEqual(await response.json(), step.expect.json);
  },
  /** { log: PATTERN }: what the server has written to its standard error */
  async log(step, stage) {
    const pattern = new RegExp(fill(step.log, { ...stage.names, ...sessions(stage) }, literally));
    for (let tries = 0; tries < 40 && !pattern.test(log(stage)); tries += 1) await sleep(50);
    assert.match(log(stage), pattern);
  },
  /** { wait: SECONDS } */
  async wait(step) {
    await sleep(step.wait * 1000);
  },
};

async function perform(step, stage) {
  const verb = Object.keys(PERFORM).find((name) => name in step);
  assert.ok(verb, `no such step; there are ${Object.keys(PERFORM).join(', ')}`);
  await PERFORM[verb](step, stage);
}

async function attempt(work) {
  try {
    return { text: await work(), error: false };
  } catch (error) {
    return { thrown: String(error.message), error: true };
  }
}

const log = ({ context }) => readFileSync(context.log, 'utf8');

/** `${session_A}` is the session id of connection A, where there is one. */
function sessions({ clients }) {
  return Object.fromEntries([...clients].map(([name, { wire }]) => [`session_${name}`, wire.sessionId ?? 'undefined']));
}
