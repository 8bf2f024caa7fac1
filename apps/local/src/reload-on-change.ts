import { watch } from 'node:fs';
import { lastLogLines } from '@posthorn/servers';
import type { ProcessOptions, RunningProcess } from './restart-on-exit.js';

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
          print(`${name} exited unexpectedly. It will restart when a source file changes. ${lastLogLines(loaded)}`);
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

/** Calls `changed` only once for several changes in quick succession. */
function onChange(folders: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(changed, DEBOUNCE_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
