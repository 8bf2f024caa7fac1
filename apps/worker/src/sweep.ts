import { type ClaimedEmail, claimDueEmails, claimExpiredEmails, deleteExpiredKeys } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { holdAndDeliver } from './hold-and-deliver.js';

export type Sweep = { stop(): Promise<void> };

const MOST_EXPIRED_KEYS = 1_000;
const TIDY_EVERY_MS = 60_000;

/**
 * Finds what no bell was heard for: scheduled mail whose time has come, retries, mail of dead workers,
 * everything while Redis is away. It delivers at once what it claims, so a lost queue costs nothing.
 */
export function startSweep(ctx: WorkerContext): Sweep {
  const { sweepIntervalMs } = ctx.config;
  let stopped = false;
  let wake = () => {};
  const inHand = new Set<Promise<void>>();

  async function run(): Promise<void> {
    while (!stopped) {
      const found = await sweepOnce();
      // A catch means that more may wait: go on as soon as one is delivered, but never wait for all.
      if (!stopped) await Promise.race([interval(), ...(found > 0 ? inHand : [])]);
      wake();
    }
    await Promise.all(inHand);
  }

  function interval(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, sweepIntervalMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function sweepOnce(): Promise<number> {
    if (!ctx.relays.areOpen()) return 0;
    const free = ctx.slots.takeFree(ctx.config.workerConcurrency);
    const claimedAt = performance.now();
    const claimed = await claimBatch(ctx, free);
    ctx.slots.release(free - claimed.length);
    for (const email of claimed) {
      const delivery = holdAndDeliver(ctx, email, claimedAt).finally(() => inHand.delete(delivery));
      inHand.add(delivery);
    }
    return claimed.length;
  }

  const running = run();
  const tidying = setInterval(() => void tidy(ctx), TIDY_EVERY_MS).unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(tidying);
      wake();
      await running;
    },
  };
}

async function claimBatch(ctx: WorkerContext, most: number): Promise<ClaimedEmail[]> {
  if (most === 0) return [];
  const expired = await claimOrNone(ctx, claimExpiredEmails, most);
  const due = expired.length < most ? await claimOrNone(ctx, claimDueEmails, most - expired.length) : [];
  return [...expired, ...due];
}

/** What one claim has taken is delivered, whatever becomes of the other. */
async function claimOrNone(ctx: WorkerContext, claim: typeof claimDueEmails, most: number): Promise<ClaimedEmail[]> {
  try {
    return await claim(ctx.db, most, ctx.config.leaseSeconds);
  } catch (error) {
    ctx.log.warn({ error }, 'sweep_failed');
    return [];
  }
}

async function tidy(ctx: WorkerContext): Promise<void> {
  try {
    await deleteExpiredKeys(ctx.db, MOST_EXPIRED_KEYS);
  } catch (error) {
    ctx.log.warn({ error }, 'tidy_failed');
  }
}
