import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startForked } from './forked-process.mjs';

/** Starts a Postgres and a Redis for each Jest worker (CONTRIBUTING.md, Tests), and builds the documentation. */
export default async function startServers({ maxWorkers }) {
  const program = join(import.meta.dirname, '../src/test-servers.ts');
  const [{ child, message }] = await Promise.all([
    startForked(program, [`${maxWorkers}`]),
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../apps/api/build.mjs')]),
  ]);
  if (message.env === undefined) throw new Error(message.failure);
  Object.assign(process.env, message.env);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestServers = child;
}
