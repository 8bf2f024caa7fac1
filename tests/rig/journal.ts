import { type FileHandle, open } from 'node:fs/promises';

/**
 * A record that is kept outside the service, with one JSON line per entry. Entries are on disk before the run relies on
 * them.
 */
export type Journal<Entry> = {
  readonly file: string;
  readonly entries: readonly Entry[];
  /** Resolves when the entry is on disk. Entries that arrive together share one fsync. */
  write(entry: Entry): Promise<void>;
  close(): Promise<void>;
};

export async function openJournal<Entry>(file: string): Promise<Journal<Entry>> {
  const handle = await open(file, 'a', 0o600);
  const entries: Entry[] = [];
  let waiting: Entry[] = [];
  let flush = Promise.resolve();
  let isScheduled = false;

  async function writeWaiting(): Promise<void> {
    isScheduled = false;
    const lines = waiting;
    waiting = [];
    await append(handle, lines);
  }

  return {
    file,
    entries,
    write(entry) {
      entries.push(entry);
      waiting.push(entry);
      if (!isScheduled) {
        isScheduled = true;
        flush = flush.then(writeWaiting);
      }
      return flush;
    },
    async close() {
      await flush;
      await handle.close();
    },
  };
}

async function append(handle: FileHandle, lines: readonly unknown[]): Promise<void> {
  await handle.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await handle.datasync();
}
