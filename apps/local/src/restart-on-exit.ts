import { setTimeout as sleep } from 'node:timers/promises';
import { lastWords } from '@posthorn/servers';

const MOST_DEATHS = 5;
const WITHIN_MS = 60_000;
const PAUSE_MS = 500;

/** A process that is meant to run until we stop it. */
export type Running = { readonly logFile: string; readonly ended: Promise<void>; stop(): Promise<void> };

export type Plan = {
  readonly name: string;
  readonly start: () => Promise<Running>;
  readonly tell: (line: string) => void;
  /** Before the first new start; each further one waits longer by as much. */
  readonly pauseMs?: number;
};

/**
 * Starts a process and keeps it running: says so when it ends by itself and starts it again, after
 * a pause that grows with every time.
 * @param giveUp called when it has ended too often to go on
 * @returns stops it, and waits for a start that is under way in order to stop that too
 * @throws Error when it does not start the first time
 */
export async function keepRunning(
  { name, start, tell, pauseMs = PAUSE_MS }: Plan,
  giveUp: () => void,
): Promise<() => Promise<void>> {
  let running = await start();
  const stopping = new AbortController();
  let deaths: number[] = [];

  function countDeath(line: string): void {
    tell(line);
    deaths = [...deaths.filter((at) => at > Date.now() - WITHIN_MS), Date.now()];
  }

  /** @returns false when it is not to run any more */
  async function bringBack(): Promise<boolean> {
    while (deaths.length <= MOST_DEATHS) {
      await sleep(pauseMs * deaths.length, null, stopping).catch(() => {});
      if (stopping.signal.aborted) return false;
      try {
        running = await start();
        if (stopping.signal.aborted) await running.stop();
        else tell(`${name} runs again.`);
        return true;
      } catch (error) {
        countDeath((error as Error).message);
      }
    }
    tell(`${name} has ended ${deaths.length} times within a minute: Posthorn cannot run like this.`);
    giveUp();
    return false;
  }

  async function watch(): Promise<void> {
    do {
      await running.ended;
      if (stopping.signal.aborted) return;
      countDeath(`${name} ended unexpectedly. ${lastWords(running)}`);
    } while (await bringBack());
  }

  const watching = watch();
  return async () => {
    stopping.abort();
    await Promise.all([running.stop(), watching]);
  };
}
