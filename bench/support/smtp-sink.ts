import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@posthorn/servers';
import { cpuSeconds } from './cpu.js';

/** A mail server in its own process that accepts everything and keeps nothing. */
export type Sink = {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  cpuSeconds(): number;
  stop(): Promise<void>;
};

const READY_MS = 10_000;
const BACKLOG = '200';

/**
 * Starts Postfix's `smtp-sink` if it is on PATH, because it uses the least CPU. Otherwise, starts the tests' mail
 * server.
 */
export async function startSink(): Promise<Sink> {
  const isPostfix = isInstalled('smtp-sink');
  return isPostfix ? toSink('smtp-sink', await startPostfixSink()) : startForkedSink('own-sink');
}

/** smtp-sink looks at each byte, so it would limit the rate of large messages. */
export function startLargeMessageSink(): Promise<Sink> {
  return startForkedSink('large-message-sink');
}

function toSink(name: string, { child, port }: StartedSink): Sink {
  return {
    name,
    port,
    url: `smtp://127.0.0.1:${port}`,
    cpuSeconds: () => cpuSeconds(child.pid as number),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

type StartedSink = { child: ChildProcess; port: number };

async function startPostfixSink(): Promise<StartedSink> {
  const port = await freePort();
  // smtp-sink refuses to run as root.
  const unprivileged = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('smtp-sink', [...unprivileged, `127.0.0.1:${port}`, BACKLOG], { stdio: 'ignore' });
  await untilListening(port, child);
  return { child, port };
}

/** @param name a file in bench/baselines */
async function startForkedSink(name: string): Promise<Sink> {
  const child = fork(join(import.meta.dirname, `../baselines/${name}.ts`), {
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [port] = await once(child, 'message');
  return toSink(name, { child, port: port as number });
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`The SMTP sink exited with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
  }
  throw new Error(`The SMTP sink did not accept a connection in ${READY_MS / 1_000} s`);
}
