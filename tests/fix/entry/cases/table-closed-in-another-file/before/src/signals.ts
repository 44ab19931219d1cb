import { sessions } from './sessions.js';

export function onSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, async () => {
      for (const id in sessions) {
        try {
          await sessions[id].close();
          delete sessions[id];
        } catch (error) {
          console.error(`closing ${id}`, error);
        }
      }
      process.exit(0);
    });
  }
}
