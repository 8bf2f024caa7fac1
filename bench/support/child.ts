import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { residentMb } from '@posthorn/testing';

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
    memoryMb: () => residentMb(child.pid as number),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Seconds of processor time of a server and its children, ended ones included (proc(5): the fields
 * from the third on follow the name; utime, stime, cutime and cstime are the 14th to 17th).
 */
export function cpuSecondsOfTree(pid: number): number {
  const own = statOf(pid).slice(11, 15).map(Number);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter(([, parent]) => Number(parent) === pid)
    .flatMap((fields) => fields.slice(11, 13).map(Number));
  return [...own, ...children].reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/** The fields of a process from its state on; none when it has ended meanwhile. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
