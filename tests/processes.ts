import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';

const ROOT = join(import.meta.dirname, '..');
const READY = /"msg":"(api_listening|worker_ready|inbound_listening|tracking_listening)"/;
const START_MS = 120_000;

export type RunningProcess = {
  /** Where an API process listens. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Every line that it has printed. */
  readonly lines: readonly string[];
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
};

/** Starts the same process as `npm run start:api` and the other `start:` scripts. */
export async function startProcess(
  app: 'api' | 'worker' | 'inbound' | 'tracking',
  ctx: Context,
  env: NodeJS.ProcessEnv = {},
): Promise<RunningProcess> {
  const child = spawn(process.execPath, [join(ROOT, 'apps', app, 'dist/main.js')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: ctx.config.databaseUrl,
      REDIS_URL: ctx.config.redisUrl,
      PORT: '0',
      SECRET_KEY: ctx.config.secretKey ?? '',
      DNS_SERVERS: ctx.config.dnsServers.join(','),
      SWEEP_INTERVAL_MS: '100',
      ...env,
    },
  });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr]) createInterface(output).on('line', (line) => lines.push(line));
  const url = await untilReady(child, lines);
  return {
    url,
    child,
    lines,
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      return (await closed)[0];
    },
  };
}

/** Runs a script, which can import the packages' sources. @returns its output and its exit code */
export async function runScript(script: string): Promise<{ text: string; exitCode: number | null }> {
  const args = ['--import', 'tsx', '--conditions=@posthorn/source', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname });
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk) => {
      text += chunk;
    });
  }
  const [exitCode] = await once(child, 'close');
  return { text, exitCode };
}

async function untilReady(child: ChildProcess, lines: readonly string[]): Promise<string> {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && child.exitCode === null; ) {
    const ready = lines.find((line) => READY.test(line));
    if (ready) return JSON.parse(ready).url ?? '';
    await sleep(20);
  }
  child.kill('SIGKILL');
  throw new Error(`The process did not become ready:\n${lines.join('\n')}`);
}
