import { join } from 'node:path';
import { createDataFolder, lockDataFolder } from './data-folder.js';
import { startAll } from './start-all.js';
import type { Shutdown } from './start-apps.js';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs `npm start`. `npm run dev` adds --watch, which runs the API and the worker from source. */
async function main(): Promise<void> {
  // Writing to a closed terminal must not interrupt the shutdown.
  process.stdout.on('error', () => {});
  const folder = createDataFolder(CHECKOUT);
  const unlock = lockDataFolder(folder);
  const shutdown = createShutdown();
  shutdown.add(unlock);
  try {
    await startAll({ folder, shutdown, print, watch: process.argv.includes('--watch') });
  } catch (error) {
    print((error as Error).message);
    await shutdown.exit(1);
  }
}

/** The signals of Ctrl-C, `kill` and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C may arrive twice: from the terminal, and forwarded by npm. */
const REPEATED_SIGNAL_MS = 500;

function createShutdown(): Shutdown {
  const stops: Array<() => Promise<void> | void> = [];
  let exiting: Promise<void> | null = null;
  let firstSignalAt = 0;

  async function stopAll(exitCode: number): Promise<void> {
    print('Stopping.');
    for (const stop of stops.reverse()) {
      await Promise.resolve(stop()).catch((error: Error) => print(error.message));
    }
    print('Stopped.');
    process.exit(exitCode);
  }

  const shutdown: Shutdown = {
    add: (stop) => stops.push(stop),
    exit(exitCode) {
      exiting ??= stopAll(exitCode);
      return exiting;
    },
  };

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (firstSignalAt === 0) firstSignalAt = Date.now();
      // A second Ctrl-C exits at once. The child processes notice this and stop on their own.
      if (Date.now() - firstSignalAt > REPEATED_SIGNAL_MS) process.exit(1);
      void shutdown.exit(0);
    });
  }
  return shutdown;
}

main().catch((error: Error) => {
  print(error.message);
  process.exitCode = 1;
});
