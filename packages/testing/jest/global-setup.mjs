import { join } from 'node:path';
import { startForked } from './forked-process.mjs';

/** Starts a Postgres and a Redis for each Jest worker (CONTRIBUTING.md, Tests). */
export default async function startServers({ maxWorkers }) {
  const program = join(import.meta.dirname, '../src/test-servers.ts');
  const { child, message } = await startForked(program, [`${maxWorkers}`]);
  if (message.env === undefined) throw new Error(message.failure);
  Object.assign(process.env, message.env);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestServers = child;
}
