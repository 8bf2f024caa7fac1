import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { AttackReport, Target } from './attack.js';
import { attacks } from './attacks.js';

/** One attack, which `runAttacks` starts in its own process. */
export type AttackJob = { readonly name: string; readonly target: Target; readonly localAddress: string };

const SLOW_BYTES = 200;
const SLOW_EVERY_MS = 100;
const RECONNECT_MS = 20;

// A real attacker runs on another machine, so this process must not take CPU time from the service.
setPriority(19);

process.once('message', ({ name, target, localAddress }: AttackJob) => {
  const attack = attacks.find((candidate) => candidate.name === name);
  if (!attack) throw new Error(`No attack is named ${name}`);
  const { hostname, port } = new URL(target.url);
  const requests = attack.requests(target);
  const byStatus: Record<string, number> = {};
  let closed = 0;
  let sent = 0;

  function open(): void {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed += 1;
      setTimeout(open, RECONNECT_MS);
    });
    socket.once('connect', () => start(socket));
  }

  const next = () => requests[sent++ % requests.length] as Buffer;

  function start(socket: Socket): void {
    if (attack?.behaviour === 'sends slowly') {
      sendSlowly(socket, next());
      return;
    }
    if (attack?.behaviour === 'never reads') socket.pause();
    else if (attack?.behaviour === 'reads slowly') readSlowly(socket);
    else
      readResponses(socket, (status) => {
        byStatus[status] = (byStatus[status] ?? 0) + 1;
        socket.write(next());
      });
    socket.write(next());
  }

  for (let count = 0; count < attack.connections; count += 1) setTimeout(open, count * 2);
  process.once('message', () => {
    const report: AttackReport = { byStatus, closed };
    process.send?.(report, () => process.exit());
  });
  process.send?.('started');
});

process.once('disconnect', () => process.exit());

function sendSlowly(socket: Socket, bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, at + SLOW_BYTES));
    at += SLOW_BYTES;
  }, SLOW_EVERY_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Reads a few bytes at a time. */
function readSlowly(socket: Socket): void {
  socket.pause();
  const timer = setInterval(() => socket.read(SLOW_BYTES), SLOW_EVERY_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Calls `onResponse` after every complete response. */
function readResponses(socket: Socket, onResponse: (status: string) => void): void {
  let head = '';
  let left = 0;
  let status = '';
  socket.on('data', (chunk: Buffer) => {
    let unread = chunk;
    while (unread.length > 0) {
      if (left > 0) {
        const skipped = Math.min(left, unread.length);
        left -= skipped;
        unread = unread.subarray(skipped);
        if (left === 0) onResponse(status);
        continue;
      }
      head += unread.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      unread = Buffer.from(head.slice(end + 4), 'latin1');
      status = head.slice(9, 12);
      left = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      head = '';
      if (left === 0) onResponse(status);
    }
  });
}
