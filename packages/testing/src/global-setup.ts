import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServersMessage } from './test-servers.js';

/**
 * Starts one Postgres and one Redis for the whole run. They live in a process of their own: Jest
 * loads this file with a bare `require`, which knows no workspace sources, and the servers must go
 * when Jest is killed.
 */
// Jest asks for a default export.
export default async function startServers(): Promise<void> {
  const servers = fork(join(import.meta.dirname, 'test-servers.ts'), {
    cwd: import.meta.dirname,
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [message] = (await Promise.race([once(servers, 'message'), once(servers, 'exit')])) as [
    ServersMessage | number | null,
  ];
  if (message === null || typeof message === 'number') throw new Error('The test servers ended while they started.');
  if ('failure' in message) throw new Error(message.failure);
  Object.assign(process.env, message.env);
  globalThis.posthornTestServers = servers;
}
