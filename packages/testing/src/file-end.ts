import { ChildProcess } from 'node:child_process';
import { Socket as UdpSocket } from 'node:dgram';
import { Server } from 'node:net';
import { expectNoConnections } from './test-database.js';
import { untilNone } from './until.js';

type Close = () => Promise<void>;

const closers: Close[] = [];

export function closeAtFileEnd(close: Close): void {
  closers.push(close);
}

/** Closes what the file kept open, the last first. @throws AggregateError if something could not be closed */
export async function endFile(): Promise<void> {
  const faults: unknown[] = [];
  for (const close of [...closers.splice(0).reverse(), expectNoConnections, expectNoHandles])
    await close().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('\n'));
}

/** HTTP servers are servers of `node:net` too. */
const KINDS = { 'child process': ChildProcess, server: Server, 'UDP socket': UdpSocket };

/** What earlier files left open, and what is kept for later ones. Only the rest is reported. */
const known = new WeakSet<object>();
rememberHandles();

/**
 * Uses a private function of Node. The public `process.getActiveResourcesInfo` returns only names, so it cannot tell a new
 * handle from one that was just closed.
 */
function listOpenHandles(): object[] {
  const active = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
  return active.filter((handle) => Object.values(KINDS).some((kind) => handle instanceof kind));
}

function rememberHandles(handles = listOpenHandles()): void {
  for (const handle of handles) known.add(handle);
}

/** Opens what this Jest worker keeps for later files, so it is not reported as left open. */
export async function keepOpen<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const before = new Set(listOpenHandles());
  const opened = await open();
  rememberHandles(listOpenHandles().filter((handle) => !before.has(handle)));
  return opened;
}

/** Every file calls this at its end. @throws Error if the file left processes, servers or UDP sockets open */
export async function expectNoHandles(): Promise<void> {
  const left = await untilNone(listLeftHandles);
  rememberHandles();
  if (left.length > 0) throw new Error(`The file left open: ${left.join(', ')}.`);
}

function listLeftHandles(): string[] {
  const left = listOpenHandles().filter((handle) => !known.has(handle));
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const count = left.filter((handle) => handle instanceof kind).length;
    return count === 0 ? [] : [`${count} x ${name}`];
  });
}
