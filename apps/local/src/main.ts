import { join } from 'node:path';
import { claimFolder } from './claim-folder.js';
import { openDataFolder } from './data-folder.js';
import { openShutdown } from './shutdown.js';
import { startAll } from './start-all.js';

/** Alike from src and from dist. */
const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `npm start`; with --watch `npm run dev`: the API and the worker run from their sources. */
async function main(): Promise<void> {
  // A terminal that was closed is no reason to stop half way.
  process.stdout.on('error', () => {});
  const folder = openDataFolder(CHECKOUT);
  const release = claimFolder(folder);
  const shutdown = openShutdown(tell);
  shutdown.add(release);
  try {
    await startAll({ folder, shutdown, tell, watch: process.argv.includes('--watch') });
  } catch (error) {
    tell((error as Error).message);
    await shutdown.end(1);
  }
}

main().catch((error: Error) => {
  tell(error.message);
  process.exitCode = 1;
});
