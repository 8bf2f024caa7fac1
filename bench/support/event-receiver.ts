import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@posthorn/servers';
import { type Child, startChild } from './child.js';

/** An HTTP server in a process of its own that answers 200 to every event. */
export type EventReceiver = {
  readonly url: string;
  readonly child: Child;
  /** How many events have arrived since the start. */
  received(): Promise<number>;
  /** Waits until `count` have arrived since the start. @throws Error if `by` exits first, or after `withinMs` */
  untilReceived(count: number, options: { by: Child; withinMs: number }): Promise<void>;
};

export async function startEventReceiver(): Promise<EventReceiver> {
  const port = await findFreePort();
  const child = await startChild(join(import.meta.dirname, '../baselines/webhook-receiver.ts'), { PORT: String(port) });

  async function answerTo(count: number, signal?: AbortSignal): Promise<number> {
    const answer = once(child.process, 'message', { signal });
    child.process.send?.(count);
    return (await answer)[0].received;
  }

  return {
    url: `http://127.0.0.1:${port}/hook`,
    child,
    received: () => answerTo(0),
    async untilReceived(count, { by, withinMs }) {
      const ended = new AbortController();
      const { signal } = ended;
      const failure = await Promise.race([
        answerTo(count, signal).then(() => null),
        once(by.process, 'exit', { signal }).then(() => 'The sender exited'),
        sleep(withinMs, 'The sender took too long', { signal }),
      ]).finally(() => ended.abort());
      if (failure) throw new Error(`${failure} before the receiver had ${count} events`);
    },
  };
}
