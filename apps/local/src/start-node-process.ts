import { type Child, dieWithParent, startChild, stopChild, waitUntilReady } from '@posthorn/servers';
import type { Running } from './keep-running.js';

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** The worker finishes the mail it has in hand: up to 30 s. */
const STOP_TIMEOUT_MS = 35_000;

export type NodeProcess = {
  readonly name: string;
  /** Options of Node and the module to run. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Answers 200 when the process is ready. */
  readonly readyUrl: string;
};

/**
 * Starts the API or the worker and waits until it is ready. It stops by itself when its IPC channel
 * closes, so it does not outlive us.
 * @throws Error with its last words when it does not become ready
 */
export async function startNodeProcess({ name, args, env, logFile, readyUrl }: NodeProcess): Promise<Running> {
  const command = dieWithParent({ name, program: process.execPath, args, env, ipc: true }, 'TERM');
  const child: Child = await startChild(command, logFile);
  await waitUntilReady(child, () => answersOk(readyUrl), READY_TIMEOUT_MS);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS) };
}

async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
