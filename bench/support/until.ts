import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.js';

export type Patience = {
  /** What is waited for, as the error says it. */
  readonly what: string;
  /** The processes that bring it about. */
  readonly by: readonly Child[];
  readonly withinMs: number;
  readonly everyMs?: number;
};

/** @throws Error when it is not so in time, or a process that should bring it about has ended */
export async function until(isSo: () => Promise<boolean>, { what, by, withinMs, everyMs = 100 }: Patience) {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    const ended = by.find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
    if (ended)
      throw new Error(
        `Waited for ${what}, but a process ended with ${ended.process.exitCode ?? ended.process.signalCode}`,
      );
    if (Date.now() > deadline) throw new Error(`Waited for ${what}, which took more than ${withinMs / 1_000} s`);
    await sleep(everyMs);
  }
}
