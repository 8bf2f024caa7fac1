import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { peakResidentMb } from '@posthorn/testing';
import { cpuSeconds } from './cpu.js';

/** A process under measurement. */
export type Child = {
  readonly process: ChildProcess;
  /** Seconds of processor time it has used so far, user and system together. */
  cpuSeconds(): number;
  /** The most resident memory it has had so far, in megabytes. */
  peakMb(): number;
  stop(): Promise<void>;
};

/**
 * Starts a TypeScript file and waits until it says "ready" over IPC, or prints what `isReady` looks for.
 * The application's processes run from their build, as in production.
 */
export async function startChild(
  file: string,
  env: NodeJS.ProcessEnv,
  { isReady, nodeArgs = [] }: { isReady?: RegExp; nodeArgs?: readonly string[] } = {},
): Promise<Child> {
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...nodeArgs, ...loader, file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.stdout?.on('data', (text) => isReady?.test(String(text)) && resolve());
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return {
    process: child,
    cpuSeconds: () => cpuSeconds(child.pid as number),
    peakMb: () => peakResidentMb(child.pid as number),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
