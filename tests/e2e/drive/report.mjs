// One property is one line of output: its name, whether it holds, and what was seen if it does not.
import { writeSync } from 'node:fs';

const PATIENCE_MS = 15_000;

/** Runs `work`, which throws where the property does not hold. A server that never answers fails it as well. */
export async function property(name, work, patience = PATIENCE_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience / 1000} s`)), patience);
  });
  const running = (async () => work())();
  // What fails after its time was up has been told already.
  running.catch(() => {});
  try {
    await Promise.race([running, late]);
    line({ property: name, holds: true });
  } catch (error) {
    line({ property: name, holds: false, detail: String(error?.message ?? error).slice(0, 800) });
  } finally {
    clearTimeout(timer);
  }
}

function line(result) {
  writeSync(1, `${JSON.stringify(result)}\n`);
}
