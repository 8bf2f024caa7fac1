import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServersMessage } from './test-servers.js';

/**
 * Starts one Postgres and one Redis for the whole test run. They run in a separate process for two
 * reasons: Jest loads this file with a plain `require`, which cannot import workspace sources, and the
 * servers must stop if Jest is killed.
 */
// Jest requires a default export.
export default async function startServers(): Promise<void> {
  const servers = fork(join(import.meta.dirname, 'test-servers.ts'), {
    cwd: import.meta.dirname,
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [message] = (await Promise.race([once(servers, 'message'), once(servers, 'exit')])) as [
    ServersMessage | number | null,
  ];
  if (message === null || typeof message === 'number') throw new Error('The test servers exited during startup.');
  if ('failure' in message) throw new Error(message.failure);
  Object.assign(process.env, message.env);
  globalThis.posthornTestServers = servers;
}
