import { watch as watchFolder } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLastLogLines } from '@posthorn/servers';

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
      recordExit(`${name} exited unexpectedly. ${readLastLogLines(running)}`);
    } while (await restart());
  }

  const watching = watch();
  return async () => {
    stopping.abort();
    await Promise.all([running.stop(), watching]);
  };
}

/** Editors save a file in several steps, and switching branches changes many files at the same time. */
const DEBOUNCE_MS = 150;

/**
 * For development: runs a process from source and restarts it whenever a source file changes. A process that fails is
 * not restarted until the next change.
 * @param folders the source folders to watch
 * @returns a function that stops the process
 */
export async function reloadOnChange(
  { name, start, print }: ProcessOptions,
  folders: readonly string[],
): Promise<() => Promise<void>> {
  let running: RunningProcess | null = null;

  async function stop(): Promise<void> {
    const current = running;
    running = null;
    await current?.stop();
  }

  async function load(): Promise<void> {
    await stop();
    try {
      const loaded = await start();
      running = loaded;
      void loaded.ended.then(() => {
        if (running === loaded)
          print(`${name} exited unexpectedly. It will restart when a source file changes. ${readLastLogLines(loaded)}`);
      });
      print(`${name} is running.`);
    } catch (error) {
      print((error as Error).message);
    }
  }

  let work = load();
  await work;
  const close = onChange(folders, () => {
    work = work.then(load);
  });
  return async () => {
    close();
    await work;
    await stop();
  };
}

function onChange(folders: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders.map((folder) =>
    watchFolder(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(changed, DEBOUNCE_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
