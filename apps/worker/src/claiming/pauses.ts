import { type PausedQueues, readPausedQueues } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { type Loop, startLoop } from '@posthorn/platform/processes';

/** How long a worker may go on claiming after `posthorn queue pause`. */
const READ_EVERY_MS = 1_000;

/** What the worker must not claim. Claims look at a copy in memory, so that they cost nothing while nothing is paused. */
export type Pauses = {
  /**
   * The first call starts to read the pauses, and waits until that has worked. If Postgres cannot be read after that,
   * they stay as they are.
   */
  read(): Promise<PausedQueues>;
  stop(): void;
};

export function openPauses({ db, log }: Pick<Context, 'db' | 'log'>): Pauses {
  let paused: PausedQueues = { isServicePaused: true, workspaceIds: [] };
  let loop: Loop | null = null;
  let markRead = () => {};
  const isRead = new Promise<void>((resolve) => {
    markRead = resolve;
  });

  async function readAgain(): Promise<boolean> {
    paused = await readPausedQueues(db);
    markRead();
    return false;
  }

  return {
    async read() {
      loop ??= startLoop(readAgain, READ_EVERY_MS, (error) => log.debug({ error }, 'pauses_not_read'));
      await isRead;
      return paused;
    },
    stop() {
      void loop?.stop();
      // Ends the wait of a call to read().
      markRead();
    },
  };
}
