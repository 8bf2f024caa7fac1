import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const APPS = ['api', 'worker', 'inbound', 'tracking', 'cli'];

/**
 * Builds the programs that tests start as processes of their own, and the pages that they serve, if a file has changed.
 * From the build they start in a third of the time.
 */
export default async function buildApps() {
  await Promise.all([
    build([join(ROOT, 'node_modules/.bin/tsc'), '-b', ...APPS.map((app) => join(ROOT, 'apps', app))]),
    build([join(ROOT, 'apps/dashboard/build.mjs')]),
  ]);
}

async function build(args) {
  await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(({ stdout, stderr }) => {
    throw new Error(`The apps could not be built:\n${stdout}${stderr}`);
  });
}
