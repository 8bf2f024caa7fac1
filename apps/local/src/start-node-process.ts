import { connect } from 'node:net';
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
  /** A URL that returns 200 when the process is ready, or `tcp://host:port` for a port that takes connections then. */
  readonly readyUrl: string;
};

/**
 * Starts a process of the service and waits until it is ready. It stops when its IPC channel closes, so it does not
 * outlive this process.
 * @throws Error with the end of its log if it does not become ready
 */
export async function startNodeProcess({ name, args, env, logFile, readyUrl }: NodeProcess): Promise<RunningProcess> {
  const command = dieWithParent({ name, program: process.execPath, args, env, ipc: true }, 'TERM');
  const child: Child = await startChild(command, logFile);
  await waitUntilReady(child, () => isReady(readyUrl), READY_TIMEOUT_MS);
  return { logFile, ended: child.ended, stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS) };
}

async function isReady(readyUrl: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(readyUrl);
  return protocol === 'tcp:' ? takesConnections(hostname, Number(port)) : respondsOk(readyUrl);
}

function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: PROBE_TIMEOUT_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
}

async function respondsOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
