// The Inspector's command line as a client: each call is a process, and so a connection, of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { told } from './clients.mjs';
import { check } from './expect.mjs';
import { property } from './report.mjs';

const ANSWER_MS = 30_000;

export async function run(wire, { drive, settings }) {
  const inspector = new Inspector(wire, settings);
  const { probe, handle } = drive;
  for (const era of settings.eras) {
    await property(
      `inspector-${era}`,
      async () => {
        const { result } = await inspector.ask(era, ['--method', 'tools/list']);
        assert.ok(result.tools.some((tool) => tool.name === probe.call), `${probe.call} is not listed`);
        check(await inspector.call(era, probe.call, probe.args), probe.expect);
      },
      ANSWER_MS * 2,
    );
  }
  if (handle) await property('inspector-handle', () => handles(inspector, settings.eras, handle), ANSWER_MS * 4);
}

/** A handle that one process made is used by another, in the other era where there are two. */
async function handles(inspector, eras, { id: name, create, look }) {
  const made = await inspector.call(eras[0], create.call, create.args);
  check(made, create.expect);
  const [id] = made.text.match(/\w+_[\w-]{22,}/) ?? [made.data?.[name]];
  check(await inspector.call(eras.at(-1), look.call, { [name]: id, ...look.args }), look.second);
  // The command line shows a tool's error by its exit code; the text stands in the result.
  const lost = await inspector.call(eras[0], look.call, { [name]: `${id}x`, ...look.args });
  check(lost, { refused: create.call });
}

class Inspector {
  constructor(wire, settings) {
    Object.assign(this, { wire, settings });
  }

  async call(era, tool, args = {}) {
    const plain = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
    const pairs = Object.entries(args).map(([key, value]) => `${key}=${plain(value)}`);
    const options = ['--method', 'tools/call', '--tool-name', tool];
    if (pairs.length > 0) options.push('--tool-arg', ...pairs);
    return told((await this.ask(era, options)).result);
  }

  async ask(era, options) {
    const { node, cli, home } = this.settings;
    const headers = Object.entries(this.wire.headers()).map(([name, value]) => `${name}: ${value}`);
    const args = [cli, '--cli', String(this.wire.urls[0]), '--transport', 'http', '--protocol-era', era, '--format', 'json', ...options];
    if (headers.length > 0) args.push('--header', ...headers);
    // What it remembers of servers must not come from, or go to, the home of whoever runs the tests.
    const env = { ...process.env, HOME: home };
    return new Promise((resolve, reject) => {
      execFile(node, args, { env, timeout: ANSWER_MS }, (error, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout));
        } catch {
          reject(new Error(`the inspector failed: ${error?.message}\n${stdout}${stderr}`));
        }
      });
    });
  }
}
