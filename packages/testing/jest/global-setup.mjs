import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a Postgres and a Redis for each worker of the run, so that no test waits for another worker's. They run in a
 * separate process, because the servers must stop if Jest is killed.
 */
export default async function startServers({ maxWorkers }) {
  const servers = fork(join(import.meta.dirname, '../src/test-servers.ts'), [`${maxWorkers}`], {
    cwd: import.meta.dirname,
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [message] = await Promise.race([once(servers, 'message'), once(servers, 'exit')]);
  if (message?.env === undefined) throw new Error(message?.failure ?? 'The test servers exited during startup.');
  Object.assign(process.env, message.env);
  // Jest runs both hooks in the same process.
  globalThis.posthornTestServers = servers;
}
