// What a server does that keeps its state on handles. The case file's `handle` says which tools there are:
//   id        the name of the argument
//   create    { call, args, expect, structured }: the tool that makes one, and whether the id is in its structured part too
//   tools     the tools that take it
//   steps     [{ call, args, expect }]: work on the first of two handles
//   look      { call, args, first, second }: one call, with the answers for the first and for the untouched second handle
//   destroy   the tool that ends one
//   also      { id, call, args, tools }: a handle of another kind, the tool that makes it, and the tools that take both
//   principals true where the server tells users apart
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { call, list, lists, told } from './clients.mjs';
import { check } from './expect.mjs';
import { property } from './report.mjs';

/** 128 random bits, as base64 or hexadecimal text, or a UUID. */
const RANDOM = '(?:[\\w-]{22,}|[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const IN_TEXT = new RegExp(`(?:[A-Za-z]+_)?${RANDOM}(?![\\w-])`, 'g');

/** The tools of one kind of handle. */
export class Handles {
  constructor(wire, spec) {
    Object.assign(this, { wire, spec });
  }

  /** Makes a handle: its id as each of the three kinds of client sees it. */
  async create(client) {
    const { call: tool, args, expect, structured } = this.spec.create;
    const answer = await call(client, tool, args);
    check(answer, expect);
    // A long word of a sentence is no id: what is random has digits or capitals.
    const ids = (answer.text.match(IN_TEXT) ?? []).filter((id) => /[0-9A-Z]/.test(id));
    assert.equal(new Set(ids).size, 1, `the text should hold one id of 128 bits: ${answer.text}`);
    const data = answer.data?.[this.spec.id];
    if (structured) assert.equal(data, ids[0], `the structured part should hold it as ${this.spec.id}`);
    return { text: ids[0], data: data ?? ids[0] };
  }

  async id(client) {
    return (await this.create(client)).text;
  }

  async use(client, id, { call: tool, args }) {
    return call(client, tool, { [this.spec.id]: id, ...(await this.beside(client, tool)), ...args });
  }

  /** The handle of another kind that a tool takes as well: one for all calls. */
  async beside(client, tool) {
    const { also } = this.spec;
    if (!also?.tools.includes(tool)) return {};
    this.other ??= call(client, also.call, also.args).then(({ text }) => text.match(IN_TEXT)[0]);
    return { [also.id]: await this.other };
  }

  look(client, id) {
    return this.use(client, id, this.spec.look);
  }

  destroy(client, id) {
    return this.use(client, id, { call: this.spec.destroy });
  }

  /** An error that tells a model what to do next. Its text without the id, to compare such texts. */
  lost(answer, id) {
    assert.ok(answer.error && answer.thrown === undefined, `a tool's error was expected: ${answer.thrown ?? answer.text}`);
    assert.ok(answer.text.includes(this.spec.create.call), `${this.spec.create.call} is not named: ${answer.text}`);
    return answer.text.replaceAll(id, 'ID');
  }
}

export async function run(wire, { drive }) {
  const handles = new Handles(wire, drive.handle);
  const { spec } = handles;
  const clients = await wire.connectAll();
  const at = (n) => clients[n % clients.length];
  const before = await lists(at(0));
  let first;
  let second;

  await property('handle-schema', () => schema(at(0), spec));
  await property('handle-created', async () => {
    first = await handles.id(at(0));
    second = await handles.id(at(1));
    assert.notEqual(first, second);
    const more = await Promise.all(clients.map((client) => handles.id(client)));
    assert.equal(new Set(more).size, more.length, 'ids repeat');
  });
  await property('handle-reused', async () => {
    for (const [n, step] of spec.steps.entries()) check(await handles.use(at(n + 1), first, step), step.expect);
    const late = await wire.connect(wire.kinds.at(-1));
    check(await handles.look(late, first), spec.look.first);
  });
  await property('handle-isolated', async () => check(await handles.look(at(0), second), spec.look.second));
  await property('handle-from-any-part', async () => {
    const made = await handles.create(at(1));
    check(await handles.look(at(0), made.data), spec.look.second);
    check(await handles.look(at(1), (await handles.create(at(0))).text), spec.look.second);
  });
  let unknown;
  await property('handle-unknown', async () => {
    for (const id of ['nope', `${second.slice(0, -1)}${second.endsWith('A') ? 'B' : 'A'}`, '__proto__', 'constructor']) {
      unknown = handles.lost(await handles.look(at(1), id), id);
    }
  });
  await property('handle-destroyed', async () => {
    const id = await handles.id(at(0));
    check(await handles.destroy(at(1), id), { error: false });
    assert.equal(handles.lost(await handles.look(at(2), id), id), unknown, 'destroyed and unknown sound alike');
    assert.equal(handles.lost(await handles.destroy(at(0), id), id), unknown, 'destroyed twice');
  });
  await property('handle-required', async () => {
    const missing = await call(at(0), spec.look.call, spec.look.args);
    assert.ok(missing.error, `served without a handle: ${missing.text}`);
    assert.match(missing.thrown ?? missing.text, new RegExp(`${spec.id}|${spec.create.call}`));
  });
  await property('session-header-buys-no-state', async () => {
    const headers = { 'mcp-session-id': randomUUID() };
    for (let n = 0; n < 2; n += 1) {
      const { message } = await wire.post('tools/call', { name: spec.look.call, arguments: spec.look.args ?? {} }, headers);
      assert.ok(message?.error || told(message.result).error, `served without a handle: ${JSON.stringify(message)}`);
    }
  });
  await property('handle-on-another-instance', async () => {
    const elsewhere = await wire.connect(wire.kinds[0], { instance: 1 });
    assert.equal(await lists(elsewhere), before, 'lists differ between instances');
    handles.lost(await handles.look(elsewhere, second), second);
  });
  if (spec.also) await property('handle-beside-another', () => swapped(handles, second, at(0)));
  if (spec.principals) await property('handle-of-another-user', () => foreign(handles, second, unknown, at(0)));
  await property('handle-lists-stable', async () => {
    for (const client of clients) assert.equal(await lists(client), before, 'a list changed with a call');
  });
}

/** The handle is the first argument, and required, of the tools that take it, and of no other. */
async function schema(client, spec) {
  assert.doesNotMatch(spec.id, /session|^_/i, 'client bridges rewrite such a name');
  const tools = await list(client, 'tools');
  assert.ok(tools.some((tool) => tool.name === spec.create.call), `there is no ${spec.create.call}`);
  for (const tool of tools) {
    const { properties = {}, required = [] } = tool.inputSchema;
    const takes = spec.tools.includes(tool.name);
    assert.equal(spec.id in properties, takes, `${tool.name} ${takes ? 'does not take' : 'takes'} ${spec.id}`);
    if (!takes) continue;
    const both = spec.also?.tools.includes(tool.name) ? [spec.id, spec.also.id].sort() : [spec.id];
    const first = (names) => names.slice(0, both.length).sort();
    assert.deepEqual([first(Object.keys(properties)), first(required)], [both, both], `${tool.name}: first and required`);
  }
  for (const name of spec.tools) assert.ok(tools.some((tool) => tool.name === name), `there is no ${name}`);
  const { description } = tools.find((tool) => tool.name === spec.create.call);
  assert.match(description, /\d+ (second|minute|hour)s?|does not expire|never expires/, 'the lifetime is not stated');
}

/** Of two handles that a tool takes, neither stands for the other, and each names the tool that creates it. */
async function swapped(handles, id, client) {
  const { spec } = handles;
  const { call: tool, args } = spec.steps.find((step) => spec.also.tools.includes(step.call));
  const other = (await handles.beside(client, tool))[spec.also.id];
  const answer = await call(client, tool, { ...args, [spec.id]: other, [spec.also.id]: id });
  assert.ok(answer.error && answer.thrown === undefined, `swapped handles were served: ${answer.thrown ?? answer.text}`);
  assert.match(answer.text, new RegExp(`${spec.create.call}|${spec.also.call}`));
}

/** Somebody else, and nobody at all, hears what is said of an unknown handle; the owner keeps it. */
async function foreign(handles, id, unknown, owner) {
  const { wire } = handles;
  const stranger = await wire.connect(wire.kinds.at(-1), { user: Object.keys(wire.users)[1] });
  assert.equal(handles.lost(await handles.look(stranger, id), id), unknown, 'foreign and unknown sound alike');
  assert.equal(handles.lost(await handles.destroy(stranger, id), id), unknown, 'a foreign handle was destroyed');
  check(await handles.look(owner, id), { error: false });
}
