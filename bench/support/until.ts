import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.js';

export type UntilOptions = {
  /** What to wait for, as worded in the error. */
  readonly what: string;
  /** The processes that must make it happen. */
  readonly by: readonly Child[];
  readonly withinMs: number;
  readonly everyMs?: number;
};

/** Polls until the condition holds. @throws Error if it does not hold in time, or if one of the processes exits */
export async function until(condition: () => Promise<boolean>, { what, by, withinMs, everyMs = 100 }: UntilOptions) {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    const exited = by.find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
    if (exited)
      throw new Error(
        `A process exited with ${exited.process.exitCode ?? exited.process.signalCode} while waiting for ${what}`,
      );
    if (Date.now() > deadline) throw new Error(`Gave up after waiting ${withinMs / 1_000} s for ${what}`);
    await sleep(everyMs);
  }
}
