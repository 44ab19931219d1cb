// A signal while a request is in flight: that one is answered, later ones are not, and the process ends (whoever started the
// server looks at its exit code).
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { told } from './clients.mjs';
import { check } from './expect.mjs';
import { property } from './report.mjs';

export async function run(wire, { drive, pid, settings }) {
  const { probe, shutdown } = drive;
  const ask = (headers) => wire.post('tools/call', { name: probe.call, arguments: probe.args ?? {} }, headers);
  const health = async () => (await fetch(new URL(drive.health.path, wire.urls[0]))).json();
  await property('drains', async () => {
    const slow = ask({ 'x-test-slow': '1500' });
    slow.catch(() => {});
    await sleep(500);
    if (shutdown.busy) assert.deepEqual(await health(), shutdown.busy, 'health while a request is in flight');
    process.kill(pid, settings.signal);
    await sleep(200);
    // Either nobody listens any more, or the answer is that the server shuts down.
    const late = await ask({}).catch(() => undefined);
    if (shutdown.late !== undefined) assert.equal(late?.status, shutdown.late, 'a request during shutdown');
    else assert.notEqual(late?.status, 200, 'a request was taken during shutdown');
    const { status, message } = await slow;
    assert.equal(status, 200, 'the request in flight is answered');
    check(told(message.result), probe.expect);
  });
}
