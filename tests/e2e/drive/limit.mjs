// Handles without expiry, of which `settings.limit` may live at once: a full store says so and gives up nothing that lives.
import assert from 'node:assert/strict';
import { call } from './clients.mjs';
import { check } from './expect.mjs';
import { Handles } from './handles.mjs';
import { property } from './report.mjs';

export async function run(wire, { drive, settings }) {
  const handles = new Handles(wire, drive.handle);
  const { create } = drive.handle;
  await property('handle-bounded', async () => {
    const client = await wire.connect(wire.kinds[0]);
    const ids = [];
    for (let n = 0; n < settings.limit; n += 1) ids.push(await handles.id(client));
    const full = await call(client, create.call, create.args);
    assert.ok(full.error && full.thrown === undefined, `one too many was made: ${full.thrown ?? full.text}`);
    for (const id of ids) check(await handles.look(client, id), { error: false });
    check(await handles.destroy(client, ids[0]), { error: false });
    await handles.id(client);
  });
}
