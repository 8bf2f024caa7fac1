import { join } from 'node:path';
import { lockDataFolder, openDataFolder } from './data-folder.js';
import { createShutdown } from './shutdown.js';
import { startAll } from './start-all.js';

/** Resolves to the same path from src and from dist. */
const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs `npm start`. `npm run dev` adds --watch, which runs the API and the worker from source. */
async function main(): Promise<void> {
  // Writing to a closed terminal must not interrupt the shutdown.
  process.stdout.on('error', () => {});
  const folder = openDataFolder(CHECKOUT);
  const unlock = lockDataFolder(folder);
  const shutdown = createShutdown(print);
  shutdown.add(unlock);
  try {
    await startAll({ folder, shutdown, print, watch: process.argv.includes('--watch') });
  } catch (error) {
    print((error as Error).message);
    await shutdown.exit(1);
  }
}

main().catch((error: Error) => {
  print(error.message);
  process.exitCode = 1;
});
