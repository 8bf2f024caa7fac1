import { type Loop, startLoop } from '@posthorn/platform/processes';

const READ_EVERY_MS = 1_000;

/** What the operator has decided, as a copy in memory that is at most about a second old, so that asking costs nothing. */
export type FreshCopy<Value> = {
  /**
   * The first call starts to read, and waits until that has worked. If Postgres cannot be read after that, the copy
   * stays as it is.
   */
  read(): Promise<Value>;
  stop(): void;
};

/** @param readAgain returns what is now in Postgres, or the copy itself if nothing has changed */
export function openFreshCopy<Value>(
  empty: Value,
  readAgain: (copy: Value) => Promise<Value>,
  onError: (error: unknown) => void,
): FreshCopy<Value> {
  let copy = empty;
  let loop: Loop | null = null;
  let markRead = () => {};
  const isRead = new Promise<void>((resolve) => {
    markRead = resolve;
  });

  async function refresh(): Promise<boolean> {
    copy = await readAgain(copy);
    markRead();
    return false;
  }

  return {
    async read() {
      loop ??= startLoop(refresh, READ_EVERY_MS, onError);
      await isRead;
      return copy;
    },
    stop() {
      void loop?.stop();
      // Ends the wait of a call to read().
      markRead();
    },
  };
}
