import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 20;

/** Waits until a condition holds. If it never does, the test's own time limit ends the wait. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(EVERY_MS);
}
