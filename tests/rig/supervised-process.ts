import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { readResidentMb, TimeLimitError } from '@posthorn/testing';
import { ROOT } from './servers.js';

const READY = /"msg":"(api_listening|worker_ready|inbound_listening)"/;
const START_MS = 30_000;
const FAILPOINT_MS = 60_000;
/** How long systemd waits by default before it restarts a service. */
const RESTART_DELAY_MS = 100;
const STOP_MS = 40_000;

/** One process of the service, restarted with the same settings whenever it dies. */
export type SupervisedProcess = {
  readonly app: 'api' | 'worker' | 'inbound';
  /** Where it listens, even after a restart; 0 for a worker. */
  readonly port: number;
  readonly url: string;
  pid(): number;
  readonly lines: readonly string[];
  /** Milliseconds from each death until the process was ready again. */
  readonly recoveries: readonly number[];
  /** How many times it exited although no scenario had killed it. */
  unplannedDeaths(): number;
  /** Why it could not be restarted; null if it could. */
  restartError(): Error | null;
  /** kill -9. Resolves when the process is ready again. */
  kill(): Promise<void>;
  /**
   * SIGTERM, as in a deployment. Resolves when the process has stopped and the next one is ready.
   * @param checkout where the code of the next ones is; where the last one's was if omitted
   */
  replace(checkout?: string): Promise<void>;
  /** SIGTERM. Resolves when it has stopped. @returns a function that starts it again and waits until it is ready */
  takeDown(): Promise<() => Promise<void>>;
  /** Restarts it with this failpoint, which stays set until the process dies. Resolves when it is ready. */
  restartWithFailpoint(failpoint: string): Promise<void>;
  /** Resolves when the failpoint has killed the process and the process is ready again. */
  untilKilledByFailpoint(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resident memory, in megabytes. */
  memoryMb(): number;
  /** Sends SIGTERM and does not restart it. @returns the exit code and how long the exit took */
  stop(): Promise<{ code: number | null; ms: number }>;
};

export type SupervisedProcessOptions = {
  readonly app: SupervisedProcess['app'];
  readonly env: Readonly<Record<string, string>>;
  readonly port?: number;
  /** How many hours its clock is ahead of ours. */
  readonly clockHours?: number;
  /** Where its code is; this checkout if omitted. */
  readonly checkout?: string;
};

export async function startSupervisedProcess({
  app,
  env,
  port = 0,
  clockHours = 0,
  checkout: firstCheckout = ROOT,
}: SupervisedProcessOptions): Promise<SupervisedProcess> {
  const lines: string[] = [];
  const recoveries: number[] = [];
  const url = `http://127.0.0.1:${port}`;
  let checkout = firstCheckout;
  let isSupervised = true;
  let failpoint: string | null = null;
  /** How many times the process has been started. */
  let generation = 1;
  let failpointGeneration = 0;
  let killedGeneration = 0;
  let unplannedDeaths = 0;
  let restartError: Error | null = null;
  /** Settles when a process that was taken down may be started again. Its start is not a recovery. */
  let mayStart: Promise<void> | null = null;
  let allowStart = () => {};
  let child = spawnApp();
  await untilReady();
  let supervision = supervise();

  function spawnApp(): ChildProcess {
    const clock = clockHours === 0 ? [] : ['--import', clockAhead(clockHours)];
    const args = ['--conditions=@posthorn/faults', ...clock, join(checkout, 'apps', app, 'dist/main.js')];
    const started = spawn(process.execPath, args, {
      cwd: checkout,
      // Because of the IPC channel, it exits when this process does, for whatever reason.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        INBOUND_PORT: String(port),
        ...env,
        ...(failpoint && { FAILPOINT: failpoint }),
      },
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
      const lastLines = lines.slice(-20).join('\n');
      if (hasExited()) throw new Error(`The ${app} process exited while starting:\n${lastLines}`);
      if (Date.now() > deadline)
        throw new TimeLimitError(`The ${app} process was not ready after ${START_MS / 1_000} s:\n${lastLines}`);
    }
  }

  function hasExited(): boolean {
    return child.exitCode !== null || child.signalCode !== null;
  }

  async function supervise(): Promise<void> {
    while (isSupervised) {
      if (!hasExited()) await once(child, 'exit');
      if (!isSupervised) return;
      if (generation !== failpointGeneration && generation !== killedGeneration) unplannedDeaths += 1;
      const isTakenDown = mayStart !== null;
      await mayStart;
      if (!isSupervised) return;
      try {
        const ms = await restart();
        if (!isTakenDown) recoveries.push(ms);
      } catch (error) {
        restartError = error as Error;
        return;
      }
      generation += 1;
    }
  }

  /** @returns how long it took until the process was ready, in milliseconds */
  async function restart(): Promise<number> {
    const startedAt = performance.now();
    await sleep(RESTART_DELAY_MS);
    child = spawnApp();
    await untilReady();
    return performance.now() - startedAt;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const killed = generation;
    killedGeneration = generation;
    child.kill(signal);
    while (!isNewerThan(killed)) await sleep(10);
  }

  /** @throws Error if there will be no newer generation because the process could not be restarted */
  function isNewerThan(old: number): boolean {
    if (restartError) throw restartError;
    return generation > old;
  }

  return {
    app,
    port,
    url,
    pid: () => child.pid ?? 0,
    lines,
    recoveries,
    unplannedDeaths: () => unplannedDeaths,
    restartError: () => restartError,
    kill: () => end('SIGKILL'),
    replace(nextCheckout = checkout) {
      checkout = nextCheckout;
      return end('SIGTERM');
    },
    async takeDown() {
      const stopped = generation;
      killedGeneration = generation;
      mayStart = new Promise((resolve) => {
        allowStart = resolve;
      });
      child.kill('SIGTERM');
      while (!hasExited()) await sleep(10);
      return async () => {
        mayStart = null;
        allowStart();
        while (!isNewerThan(stopped)) await sleep(10);
      };
    },
    async restartWithFailpoint(wanted) {
      failpoint = wanted;
      failpointGeneration = generation + 1;
      await end('SIGKILL');
    },
    async untilKilledByFailpoint() {
      for (const deadline = Date.now() + FAILPOINT_MS; !isNewerThan(failpointGeneration); await sleep(10)) {
        if (Date.now() > deadline)
          throw new TimeLimitError(`The ${app} process did not reach its failpoint in ${FAILPOINT_MS / 1_000} s`);
      }
    },
    signal: (signal) => child.kill(signal),
    memoryMb: () => readResidentMb(child.pid ?? 0),
    async stop() {
      isSupervised = false;
      allowStart();
      const startedAt = performance.now();
      const exited = hasExited() ? Promise.resolve() : once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
      await supervision;
      supervision = Promise.resolve();
      return { code: child.exitCode, ms: performance.now() - startedAt };
    },
  };
}

/** A module that shifts `Date`. It is the only test double in a fault run. */
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
