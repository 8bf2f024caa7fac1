import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const APPS = ['api', 'worker', 'inbound', 'tracking', 'cli'];

/**
 * Builds the programs that tests start as processes of their own, if a file has changed. From the build they start in a
 * third of the time.
 */
// Jest requires a default export.
export default async function buildApps(): Promise<void> {
  const args = ['-b', ...APPS.map((app) => join(ROOT, 'apps', app))];
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: ROOT }).catch((error) => {
    throw new Error(`The apps could not be built:\n${error.stdout}`);
  });
}
