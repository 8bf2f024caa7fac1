import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '@posthorn/testing';
import { ROOT } from './servers.js';

const READY = /"msg":"(api_listening|worker_ready)"/;
const START_MS = 30_000;
const DEATH_MS = 60_000;
/** A supervisor such as systemd starts a dead service again after 100 ms. */
const RESTART_MS = 100;

/** One process of the service, kept running: when it dies it is started again as it was. */
export type SupervisedProcess = {
  readonly app: 'api' | 'worker';
  /** Of an API: where it listens, also after a new start. */
  readonly url: string;
  pid(): number;
  readonly lines: readonly string[];
  /** How long each new start took, from the death to being ready, in ms. */
  readonly recoveries: readonly number[];
  /** Ends that nobody asked for. */
  unplannedDeaths(): number;
  /** @returns when it runs and is ready again */
  kill(): Promise<void>;
  /** Starts it anew with this failpoint, for one life. @returns when it is ready */
  arm(failpoint: string): Promise<void>;
  /** @returns when an armed failpoint has killed it and it is ready again */
  died(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resident memory, in megabytes. */
  memoryMb(): number;
  /** SIGTERM, for good. @returns exit code, and how long it took in ms */
  stop(): Promise<{ code: number | null; ms: number }>;
};

export type SupervisedProcessOptions = {
  readonly app: SupervisedProcess['app'];
  readonly env: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Hours that its clock is ahead of ours. */
  readonly clockHours?: number;
};

export async function startSupervisedProcess({
  app,
  env,
  port = 0,
  clockHours = 0,
}: SupervisedProcessOptions): Promise<SupervisedProcess> {
  const lines: string[] = [];
  const recoveries: number[] = [];
  const url = `http://127.0.0.1:${port}`;
  let isWanted = true;
  let failpoint: string | null = null;
  let lives = 1;
  let armedLife = 0;
  let killedLife = 0;
  let unplanned = 0;
  let child = spawnApp();
  await untilReady();
  let keeping = keep();

  function spawnApp(): ChildProcess {
    const clock = clockHours === 0 ? [] : ['--import', clockAhead(clockHours)];
    const args = ['--conditions=@posthorn/faults', ...clock, join(ROOT, 'apps', app, 'dist/main.js')];
    const started = spawn(process.execPath, args, {
      cwd: ROOT,
      // With a channel to us it ends when we do, whatever the reason.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { PATH: process.env.PATH, PORT: String(port), ...env, ...(failpoint && { FAILPOINT: failpoint }) },
    });
    failpoint = null;
    for (const output of [started.stdout, started.stderr])
      if (output) createInterface(output).on('line', (line) => lines.push(line));
    return started;
  }

  async function untilReady(): Promise<void> {
    const from = lines.length;
    const isReady = () => lines.slice(from).some((line) => READY.test(line));
    for (const deadline = Date.now() + START_MS; !isReady(); await sleep(10)) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || Date.now() > deadline) throw new Error(`${app} did not start:\n${lines.slice(-20).join('\n')}`);
    }
  }

  async function keep(): Promise<void> {
    while (isWanted) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      if (!isWanted) return;
      if (lives !== armedLife && lives !== killedLife) unplanned += 1;
      await comeBack(performance.now());
      lives += 1;
    }
  }

  async function comeBack(diedAt: number): Promise<void> {
    await sleep(RESTART_MS);
    child = spawnApp();
    await untilReady();
    recoveries.push(performance.now() - diedAt);
  }

  async function nextLife(): Promise<void> {
    const life = lives;
    killedLife = lives;
    child.kill('SIGKILL');
    while (lives === life) await sleep(10);
  }

  return {
    app,
    url,
    pid: () => child.pid ?? 0,
    lines,
    recoveries,
    unplannedDeaths: () => unplanned,
    kill: nextLife,
    async arm(wanted) {
      failpoint = wanted;
      armedLife = lives + 1;
      await nextLife();
    },
    async died() {
      for (const deadline = Date.now() + DEATH_MS; lives === armedLife; await sleep(10)) {
        if (Date.now() > deadline) throw new Error(`The failpoint of the ${app} was not passed`);
      }
    },
    signal: (signal) => child.kill(signal),
    memoryMb: () => residentMb(child.pid ?? 0),
    async stop() {
      isWanted = false;
      const startedAt = performance.now();
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      const ended = hasEnded ? Promise.resolve() : once(child, 'exit');
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 40_000);
      await ended;
      clearTimeout(kill);
      await keeping;
      keeping = Promise.resolve();
      return { code: child.exitCode, ms: performance.now() - startedAt };
    },
  };
}

/** A module that moves `Date`: the one double a fault run uses. */
function clockAhead(hours: number): string {
  const code = `
    const Real = Date;
    const ahead = ${hours * 3_600_000};
    globalThis.Date = class extends Real {
      constructor(...given) { super(...(given.length > 0 ? given : [Real.now() + ahead])); }
      static now() { return Real.now() + ahead; }
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
