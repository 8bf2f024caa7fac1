import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOG_TAIL_LINES = 15;
const POLL_MS = 25;

/** A started server and the file that receives its output. */
export type Child = {
  readonly name: string;
  readonly process: ChildProcess;
  readonly pid: number;
  readonly logFile: string;
  readonly ended: Promise<void>;
};

/**
 * Runs a program and waits until it exits.
 * @returns its output, stdout and stderr together
 * @throws Error with the last lines of its output if it fails or takes longer than `timeoutMs`
 */
export async function run(
  command: Command,
  { timeoutMs, input = '' }: { timeoutMs: number; input?: string },
): Promise<string> {
  const options = { ...toSpawnOptions(command), timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
  const child = spawn(command.program, command.args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {}); // The program may exit without reading its input.
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString();
  if (code !== 0)
    throw new Error(`${command.name} failed (${signal ?? `exit code ${code}`}):\n${takeLastLines(output)}`);
  return output;
}

/**
 * Starts a server in its own process group. Ctrl-C in a terminal then reaches only this process,
 * which can stop the servers in the right order.
 * @param logFile receives the output; the log of the previous run is renamed to `<logFile>.previous`
 */
export async function startChild(command: Command, logFile: string): Promise<Child> {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(command.program, command.args, {
    ...toSpawnOptions(command),
    stdio: ['ignore', log, log, ...(command.ipc ? ['ipc' as const] : [])],
    detached: true,
  });
  closeSync(log);
  await once(child, 'spawn');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { name: command.name, process: child, pid: child.pid ?? 0, logFile, ended };
}

export function hasEnded({ process: child }: Child): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Sends `signal`, and then SIGKILL if the process has not ended after `timeoutMs`. */
export async function stopChild(child: Child, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  if (hasEnded(child)) return;
  child.process.kill(signal);
  const kill = setTimeout(() => child.process.kill('SIGKILL'), timeoutMs);
  await child.ended;
  clearTimeout(kill);
}

/**
 * Polls the server until it is ready.
 * @throws Error with the last lines of its log if it exits or is not ready in time
 */
export async function waitUntilReady(child: Child, isReady: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!hasEnded(child) && Date.now() < deadline) {
    if (await isReady()) return;
    await sleep(POLL_MS);
  }
  const reason = hasEnded(child) ? 'exited during startup' : `was not ready within ${timeoutMs / 1_000} s`;
  await stopChild(child, 'SIGKILL', timeoutMs);
  throw new Error(`${child.name} ${reason}. ${readLastLogLines(child)}`);
}

export function readLastLogLines({ logFile }: Pick<Child, 'logFile'>): string {
  return `Last lines of ${logFile}:\n${takeLastLines(readFileSync(logFile, 'utf8'))}`;
}

function takeLastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** The C locale makes sure that messages are in English, and keeps Postgres on macOS from starting a thread. */
function toSpawnOptions({ identity, cwd, env }: Command): SpawnOptions {
  return {
    env: { ...process.env, LC_ALL: 'C', ...env },
    windowsHide: true,
    ...identity,
    ...(cwd && { cwd }),
  };
}

export type Command = {
  /** The name to use in messages. It stays the same if the program is started through a wrapper. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The user and group to run as, on systems without a suitable setpriv. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Opens an IPC channel to a Node program. The channel closes when this process ends, which tells the program to stop.
   */
  readonly ipc?: boolean;
};

/**
 * Accepting and delivering make many short-lived objects per email and event. With more room for them (V8's default is
 * 16 MB), garbage collection takes less time, for about 40 MB of memory.
 */
const LARGE_SEMI_SPACE = ['--max-semi-space-size=32'] as const;

/** How Node is started for an app in production. */
export const nodeArgs = { api: LARGE_SEMI_SPACE, worker: LARGE_SEMI_SPACE, inbound: [], tracking: [] } as const;
