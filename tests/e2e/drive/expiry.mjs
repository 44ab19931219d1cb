// Handles with a lifetime of `settings.idleSeconds`: use keeps one alive, idleness ends it, and its owner hears what to do.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './expect.mjs';
import { Handles } from './handles.mjs';
import { property } from './report.mjs';

export async function run(wire, { drive, settings }) {
  const handles = new Handles(wire, drive.handle);
  const idleMs = settings.idleSeconds * 1000;
  await property('handle-expires', async () => {
    const client = await wire.connect(wire.kinds[0]);
    const id = await handles.id(client);
    for (let n = 0; n < 3; n += 1) {
      await sleep(idleMs * 0.5);
      check(await handles.look(client, id), { error: false });
    }
    await sleep(idleMs * 1.3);
    const said = handles.lost(await handles.look(client, id), id);
    if (drive.handle.lost) assert.ok(said.includes(drive.handle.lost), `what was lost is not said: ${said}`);
    if (drive.handle.principals) {
      const stranger = await wire.connect(wire.kinds.at(-1), { user: Object.keys(wire.users)[1] });
      assert.notEqual(handles.lost(await handles.look(stranger, id), id), said, 'a stranger hears that the handle was real');
    }
  });
}
