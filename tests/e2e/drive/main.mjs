// node main.mjs CONTEXT.json: puts one set of properties to servers that run already, and prints one JSON line for each.
// The context says which: { mode, clients, urls, kinds, users, log, pid, drive, settings }.
import { readFileSync } from 'node:fs';

const MODES = {
  steps: './steps.mjs',
  wire: './wire.mjs',
  handles: './handles.mjs',
  expiry: './expiry.mjs',
  limit: './limit.mjs',
  shutdown: './shutdown.mjs',
  inspector: './inspector.mjs',
};

// Standard output is for properties; clients tell what they do as well.
console.log = console.info = console.debug = console.error;

const context = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { run } = await import(MODES[context.mode]);
const { Wire } = await import('./clients.mjs');
await run(new Wire(context), context);
// Streams that a server keeps open would keep this process alive.
process.exit(0);
