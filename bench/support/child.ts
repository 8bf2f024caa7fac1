import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { nodeArgs as productNodeArgs } from '@posthorn/servers';
import { readPeakResidentMb } from '@posthorn/testing';
import { cpuSeconds } from './cpu.js';

/** A process whose CPU time and memory are measured. */
export type Child = {
  readonly process: ChildProcess;
  /** CPU time so far in seconds, user and system together. */
  cpuSeconds(): number;
  /** Peak resident memory so far, in megabytes. */
  peakMb(): number;
  stop(): Promise<void>;
};

/**
 * Runs a file and waits until it sends a message over IPC or prints something that matches `isReady`. Processes of the
 * product are started from their build, as in production.
 * @param via a command that replaces itself with the process
 */
export async function startChild(
  file: string,
  env: NodeJS.ProcessEnv,
  {
    isReady,
    nodeArgs = [],
    via = [],
  }: { isReady?: RegExp; nodeArgs?: readonly string[]; via?: readonly string[] } = {},
): Promise<Child> {
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const [, app] = /apps\/(api|worker)\/dist\/main\.js$/.exec(file) ?? [];
  const asInProduction = app ? productNodeArgs[app as 'api' | 'worker'] : [];
  const [command, ...args] = [...via, process.execPath, ...asInProduction, ...nodeArgs, ...loader, file];
  const child = spawn(command as string, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.stdout?.on('data', (text) => isReady?.test(String(text)) && resolve());
    child.once('exit', (code) => reject(new Error(`${file} exited with ${code}`)));
  });
  return {
    process: child,
    cpuSeconds: () => cpuSeconds(child.pid as number),
    peakMb: () => readPeakResidentMb(child.pid as number),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
