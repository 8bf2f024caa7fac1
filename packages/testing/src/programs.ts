import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A TypeScript program that runs as a process of its own and sends messages. It ends when its parent does. */
export type ForkedProgram = {
  readonly process: ChildProcess;
  /** The next message. @throws Error if the program exits first */
  next<Message>(): Promise<Message>;
  readonly failed: Promise<never>;
  ask<Message>(question: object | string): Promise<Message>;
  /** Disconnects, which tells the program to stop, and waits until it has. */
  stop(): Promise<void>;
};

export function forkProgram(path: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): ForkedProgram {
  const child = fork(path, [...args], {
    execArgv: ['--import', import.meta.resolve('tsx'), '--conditions=@posthorn/source'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code, signal]): never => {
    throw new Error(`${path} exited with ${signal ?? code}`);
  });
  // An exit after `stop` must not become an unhandled rejection.
  failed.catch(() => {});

  async function next<Message>(): Promise<Message> {
    const [message] = await Promise.race([once(child, 'message'), failed]);
    return message as Message;
  }

  return {
    process: child,
    failed,
    next,
    ask<Message>(question: object | string) {
      const reply = next<Message>();
      child.send(question);
      return reply;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/**
 * Runs the posthorn command of another version, because our code may not fit its schema.
 * @param checkout the folder of the version, in which the command has been built
 * @returns what it printed as JSON
 */
export async function runOlderPosthorn(
  checkout: string,
  databaseUrl: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  const command = [join(checkout, 'apps/cli/dist/main.js'), ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return JSON.parse(stdout);
}
