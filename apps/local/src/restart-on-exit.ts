import { setTimeout as sleep } from 'node:timers/promises';
import { lastLogLines } from '@posthorn/servers';

const MAX_EXITS = 5;
const EXIT_WINDOW_MS = 60_000;
const RESTART_DELAY_MS = 500;

export type RunningProcess = { readonly logFile: string; readonly ended: Promise<void>; stop(): Promise<void> };

export type ProcessOptions = {
  readonly name: string;
  readonly start: () => Promise<RunningProcess>;
  readonly print: (line: string) => void;
  /** Delay before the first restart. The delay grows by this much with every exit. */
  readonly restartDelayMs?: number;
};

/**
 * Starts a process and restarts it, with increasing delays, whenever it exits.
 * @param giveUp called if it has exited too often
 * @returns a function that stops the process, even while it is being restarted
 * @throws Error if the first start fails
 */
export async function restartOnExit(
  { name, start, print, restartDelayMs = RESTART_DELAY_MS }: ProcessOptions,
  giveUp: () => void,
): Promise<() => Promise<void>> {
  let running = await start();
  const stopping = new AbortController();
  let exits: number[] = [];

  function recordExit(line: string): void {
    print(line);
    exits = [...exits.filter((at) => at > Date.now() - EXIT_WINDOW_MS), Date.now()];
  }

  /** @returns false if the process was stopped or has exited too often */
  async function restart(): Promise<boolean> {
    while (exits.length <= MAX_EXITS) {
      await sleep(restartDelayMs * exits.length, null, stopping).catch(() => {});
      if (stopping.signal.aborted) return false;
      try {
        running = await start();
        if (stopping.signal.aborted) await running.stop();
        else print(`${name} is running again.`);
        return true;
      } catch (error) {
        recordExit((error as Error).message);
      }
    }
    print(`${name} exited ${exits.length} times within a minute. Shutting down.`);
    giveUp();
    return false;
  }

  async function watch(): Promise<void> {
    do {
      await running.ended;
      if (stopping.signal.aborted) return;
      recordExit(`${name} exited unexpectedly. ${lastLogLines(running)}`);
    } while (await restart());
  }

  const watching = watch();
  return async () => {
    stopping.abort();
    await Promise.all([running.stop(), watching]);
  };
}
