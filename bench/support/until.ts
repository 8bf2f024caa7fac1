import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.js';

export type Patience = {
  /** What is waited for, as the error says it. */
  readonly what: string;
  /** The process that brings it about. */
  readonly by: Child;
  readonly withinMs: number;
  readonly everyMs?: number;
};

/** @throws Error when it is not so in time, or the process that should bring it about has ended */
export async function until(isSo: () => Promise<boolean>, { what, by, withinMs, everyMs = 100 }: Patience) {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    const { exitCode, signalCode } = by.process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`Waited for ${what}, but the process ended with ${exitCode ?? signalCode}`);
    if (Date.now() > deadline) throw new Error(`Waited for ${what}, which took more than ${withinMs / 1_000} s`);
    await sleep(everyMs);
  }
}
