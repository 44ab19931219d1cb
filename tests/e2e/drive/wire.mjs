// What every server without sessions does, whatever it is for. `probe` is a call that needs nothing before it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { call, lists, told } from './clients.mjs';
import { check } from './expect.mjs';
import { property } from './report.mjs';

const LEGACY = { 'mcp-protocol-version': '2025-06-18' };
const MANY = 50;

export async function run(wire, { drive, era }) {
  const { probe } = drive;
  const ask = async (client) => check(await call(client, probe.call, probe.args), probe.expect);
  const askBare = async (headers) => checkBare(await wire.post('tools/call', params(probe), headers), probe);

  // What is listed before the first call of all, and what afterwards.
  await property('lists-stable', async () => {
    const clients = await wire.connectAll();
    const before = await lists(clients[0]);
    for (const client of clients) assert.equal(await lists(client), before, 'another connection sees another list');
    for (const client of clients) await ask(client);
    for (const client of clients) assert.equal(await lists(client), before, 'a list changed with a call');
  });
  // Connections stay open from one property to the next: that is when servers begin to mix them up.
  const open = [];
  await property('two-clients', async () => {
    open.push(...(await wire.connectAll()));
    await Promise.all(open.map(ask));
  });
  await property('eras', async () => assert.deepEqual(open.map((client) => eraOf(client)), wire.kinds.map((kind) => eraFor(kind, era))));
  await property('interleaved-calls', async () => {
    assert.ok(open.length > 1, 'there are no two connections');
    for (let turn = 0; turn < 3; turn += 1) for (const client of open) await ask(client);
    await Promise.all([...open, ...open, ...open].map(ask));
  });
  await property('same-ids-at-once', async () => {
    const asked = [probe, drive.other ?? probe, probe, drive.other ?? probe];
    const answers = await Promise.all(asked.map((one) => wire.post('tools/call', params(one), LEGACY, 1)));
    for (const [n, answer] of answers.entries()) checkBare(answer, asked[n]);
  });
  await property('without-initialize', async () => {
    await askBare({});
    await askBare(LEGACY);
    const listed = await wire.post('tools/list', {}, LEGACY);
    assert.equal(listed.status, 200);
    assert.ok(listed.message?.result?.tools, `no list of tools: ${JSON.stringify(listed.message)}`);
  });
  await property('session-header-ignored', async () => {
    const fresh = await lists(await wire.connect(wire.kinds[0]));
    const stale = wire.responses.find(({ session }) => session !== null)?.session ?? randomUUID();
    for (const id of [randomUUID(), stale, '1']) {
      await askBare({ 'mcp-session-id': id });
      const client = await wire.connect(wire.kinds[0], { headers: { 'mcp-session-id': id } });
      await ask(client);
      assert.equal(await lists(client), fresh, 'a session id changes a list');
    }
  });
  for (const verb of ['GET', 'DELETE']) {
    await property(`${verb.toLowerCase()}-refused`, async () => {
      for (const headers of [{}, { 'mcp-session-id': randomUUID() }, { 'last-event-id': '1' }]) {
        const { status, headers: got } = await wire.send(verb, headers);
        assert.deepEqual([status, got.get('allow')], [405, 'POST'], `${verb} is answered with ${status}, Allow: ${got.get('allow')}`);
      }
    });
  }
  await property('many-requests', async () => {
    for (let n = 0; n < MANY; n += 1) await askBare(LEGACY);
  });
  await property('still-up', async () => {
    if (drive.health) await health(wire, drive.health);
    await ask(await wire.connect(wire.kinds[0]));
  });
  await property('no-session-header', async () => {
    await wire.post('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    const carried = wire.responses.filter(({ session }) => session !== null).map((response) => response.asked);
    assert.deepEqual([...new Set(carried)], [], 'responses carried Mcp-Session-Id');
    assert.ok(wire.responses.length > 5, 'too few responses were seen');
  });
}

const params = ({ call: name, args = {} }) => ({ name, arguments: args });

function checkBare({ status, message }, probe) {
  assert.equal(status, 200, `status ${status}: ${JSON.stringify(message)}`);
  assert.ok(message?.result, `no result: ${JSON.stringify(message)}`);
  check(told(message.result), probe.expect);
}

const eraFor = (kind, era) => (era === 'v2' && (kind === 'pinned' || kind === 'auto') ? 'modern' : 'legacy');
const eraOf = (client) => client.getProtocolEra?.() ?? 'legacy';

async function health(wire, { path, json }) {
  const response = await fetch(new URL(path, wire.urls[0]));
  assert.equal(response.status, 200, `health is ${response.status}`);
  if (json !== undefined) assert.deepEqual(await response.json(), json, 'health');
}
