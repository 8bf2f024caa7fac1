import { watch } from 'node:fs';
import { lastWords } from '@posthorn/servers';
import type { Plan, Running } from './keep-running.js';

/** Editors write a file in several steps, and many files at once when a branch changes. */
const SETTLE_MS = 150;

/**
 * For development: starts a process from its sources, and anew whenever they change. One that fails
 * is left alone until the next change.
 * @param folders whose files it is made of
 * @returns stops it
 */
export async function reloadOnChange(
  { name, start, tell }: Plan,
  folders: readonly string[],
): Promise<() => Promise<void>> {
  let running: Running | null = null;

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
          tell(`${name} ended unexpectedly; change a source to start it again. ${lastWords(loaded)}`);
      });
      tell(`${name} runs.`);
    } catch (error) {
      tell((error as Error).message);
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

/** Changes that come together count as one. */
function onChange(folders: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(changed, SETTLE_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
