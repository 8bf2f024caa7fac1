import { type Child, dieWithParent, startChild, stopChild, waitUntilReady } from '@posthorn/servers';
import type { RunningProcess } from './restart-on-exit.js';

const READY_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 2_000;
/** The worker may take up to 30 s to finish the emails it is delivering. */
const STOP_TIMEOUT_MS = 35_000;

type NodeProcess = {
  readonly name: string;
  /** Node options, then the module to run. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Returns 200 when the process is ready. */
  readonly readyUrl: string;
};

/**
 * Starts the API or the worker and waits until it is ready. Both stop when their IPC channel closes,
 * so they do not outlive this process.
 * @throws Error with the end of its log if it does not become ready
 */
export async function startNodeProcess({ name, args, env, logFile, readyUrl }: NodeProcess): Promise<RunningProcess> {
  const command = dieWithParent({ name, program: process.execPath, args, env, ipc: true }, 'TERM');
  const child: Child = await startChild(command, logFile);
  await waitUntilReady(child, () => respondsOk(readyUrl), READY_TIMEOUT_MS);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS) };
}

async function respondsOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
