import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a TypeScript program that serves the whole run and ends with Jest, even if Jest is killed.
 * @returns the process, and the one message that it sends when it is ready
 */
export async function startForked(program, args = []) {
  const child = fork(program, args, { execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'] });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message === null || typeof message !== 'object') throw new Error(`${program} exited before it was ready.`);
  return { child, message };
}

/** Disconnecting tells the program to stop. */
export async function stopForked(child) {
  if (!child?.connected) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
