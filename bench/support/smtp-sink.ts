import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cpuSeconds } from './cpu.js';

/** The tests' mail server in a process of its own. It accepts everything and keeps nothing. */
export type Sink = {
  readonly port: number;
  readonly url: string;
  cpuSeconds(): number;
  stop(): Promise<void>;
};

export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, '../baselines/smtp-sink.ts'), {
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
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
