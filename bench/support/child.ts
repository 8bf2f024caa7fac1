import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** A process under measurement. */
export type Child = {
  readonly process: ChildProcess;
  /** Seconds of processor time it has used so far, user and system together. */
  cpuSeconds(): number;
  /** Resident memory, in megabytes. */
  memoryMb(): number;
  stop(): Promise<void>;
};

/**
 * Starts a TypeScript file and waits until it says "ready" over IPC, or prints what `isReady` looks for.
 * The application's processes run from their build, as in production.
 */
export async function startChild(file: string, env: NodeJS.ProcessEnv, isReady?: RegExp): Promise<Child> {
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...loader, file], {
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
    memoryMb: () => memoryMb(child.pid as number),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** proc(5): utime and stime are the 14th and 15th field of stat, in clock ticks. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function memoryMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000;
}
