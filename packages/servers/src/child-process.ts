import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from './command.js';

const LOG_TAIL_LINES = 15;
const POLL_MS = 25;

/** A server we started: its process and the file that takes what it prints. */
export type Child = {
  readonly name: string;
  readonly process: ChildProcess;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process has ended, whatever the reason. */
  readonly ended: Promise<void>;
};

/**
 * Runs a program to its end.
 * @returns what it printed, both streams together
 * @throws Error with its last lines when it fails or takes longer than `timeoutMs`
 */
export async function run(
  command: Command,
  { timeoutMs, input = '' }: { timeoutMs: number; input?: string },
): Promise<string> {
  const options = { ...spawnOptions(command), timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
  const child = spawn(command.program, command.args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {}); // It may end without reading its input.
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString();
  if (code !== 0) throw new Error(`${command.name} failed (${signal ?? `exit code ${code}`}):\n${lastLines(output)}`);
  return output;
}

/**
 * Starts a server in a process group of its own: Ctrl-C in a terminal reaches only us, and we stop
 * each server after those who use it.
 * @param logFile takes what it prints; that of the run before is kept as `<logFile>.previous`
 */
export async function startChild(command: Command, logFile: string): Promise<Child> {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(command.program, command.args, {
    ...spawnOptions(command),
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

/** Asks with `signal`; kills what has not ended after `timeoutMs`. */
export async function stopChild(child: Child, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  if (hasEnded(child)) return;
  child.process.kill(signal);
  const kill = setTimeout(() => child.process.kill('SIGKILL'), timeoutMs);
  await child.ended;
  clearTimeout(kill);
}

/**
 * Asks the server until it answers.
 * @throws Error with the last lines of its log when it ends, or does not answer in time
 */
export async function waitUntilReady(child: Child, isReady: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!hasEnded(child) && Date.now() < deadline) {
    if (await isReady()) return;
    await sleep(POLL_MS);
  }
  const reason = hasEnded(child) ? 'ended while it started' : `did not answer within ${timeoutMs / 1_000} s`;
  await stopChild(child, 'SIGKILL', timeoutMs);
  throw new Error(`${child.name} ${reason}. ${lastWords(child)}`);
}

/** The end of what it printed, and where the rest is. */
export function lastWords({ logFile }: Pick<Child, 'logFile'>): string {
  return `Its last words (${logFile}):\n${lastLines(readFileSync(logFile, 'utf8'))}`;
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** The C locale keeps messages in English and Postgres on macOS from starting a thread. */
function spawnOptions({ identity, folder, env }: Command): SpawnOptions {
  return {
    env: { ...process.env, LC_ALL: 'C', ...env },
    windowsHide: true,
    ...identity,
    ...(folder && { cwd: folder }),
  };
}
