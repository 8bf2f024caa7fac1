import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/**
 * Waits until nothing is found any more, because what was just closed may still be listed.
 * @returns what is still found after ten seconds
 */
export async function untilNone(find: () => readonly string[] | Promise<readonly string[]>): Promise<string[]> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = await find();
    if (found.length === 0 || Date.now() > deadline) return [...found];
    await sleep(POLL_MS);
  }
}
