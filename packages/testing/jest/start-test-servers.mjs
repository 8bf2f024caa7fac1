import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tsImport } from 'tsx/esm/api';

const { forkProgram } = await tsImport('../src/programs.ts', import.meta.url);

/**
 * Starts a Postgres and a Redis for each Jest worker (CONTRIBUTING.md, Tests), and builds the documentation. The servers end with Jest, even
 * if it is killed.
 */
export default async function startServers({ maxWorkers }) {
  const program = forkProgram(join(import.meta.dirname, '../src/test-servers.ts'), [`${maxWorkers}`]);
  const [{ env, failure }] = await Promise.all([
    program.next(),
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../apps/api/build.mjs')]),
  ]);
  if (env === undefined) throw new Error(failure);
  Object.assign(process.env, env);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestServers = program;
}
