import {
  type ClaimedEmail,
  claimDueEmails,
  claimExpiredEmails,
  deleteExpiredIdempotencyKeys,
  isUnavailable,
} from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { deliverUnderLease } from './deliver-under-lease.js';
import { extensionMs } from './leases.js';
import { createPause } from './pause.js';
import type { FreeSlots } from './slots.js';

export type Sweep = {
  /** Rounds so far. If the number stops growing, the sweep is stuck. */
  rounds(): number;
  stop(): Promise<void>;
};

const MAX_EXPIRED_KEYS_PER_STATEMENT = 1_000;
const CLEAN_UP_EVERY_MS = 60_000;

/**
 * Finds due emails that no delivery job announced: scheduled emails, retries, emails of stopped workers, emails
 * that found no free slot, and every email while Redis is down. It delivers these emails without the queue, so no
 * email is lost with the queue.
 */
export function startSweep(ctx: WorkerContext): Sweep {
  const { sweepIntervalMs } = ctx.config;
  let rounds = 0;
  let stopped = false;
  const pause = createPause();

  // Only once per interval, because rounds follow each other within milliseconds when there is a backlog.
  const expiredCheck: ExpiredCheck = { isDue: true, notBefore: 0 };
  const expiredTimer = setInterval(() => {
    expiredCheck.isDue = true;
  }, sweepIntervalMs).unref();

  async function run(): Promise<void> {
    while (!stopped) {
      const mayRepeatAtOnce = await sweepOnce(ctx, expiredCheck);
      rounds += 1;
      if (!stopped) {
        const pauses = [pause.sleep(sweepIntervalMs), ...(mayRepeatAtOnce ? [ctx.slots.untilSlotForBacklog()] : [])];
        await Promise.race(pauses);
      }
      pause.wake();
    }
  }

  const running = run();
  const cleanUpTimer = setInterval(() => void cleanUp(ctx), CLEAN_UP_EVERY_MS).unref();
  return {
    rounds: () => rounds,
    async stop() {
      stopped = true;
      clearInterval(expiredTimer);
      clearInterval(cleanUpTimer);
      pause.wake();
      await running;
    },
  };
}

/** Whether the next round that gets shared slots also looks for emails of stopped workers. */
type ExpiredCheck = {
  isDue: boolean;
  /** `performance.now()` before which no round does. */
  notBefore: number;
};

/** A worker needs this long to connect to Postgres again and record what it has in hand. */
const RECONNECT_MS = 2_000;

/** @returns whether the next round may begin as soon as emails that found no slot can get one */
async function sweepOnce(ctx: WorkerContext, expiredCheck: ExpiredCheck): Promise<boolean> {
  if (!ctx.relays.areAvailable()) return false;
  const free = ctx.slots.takeAll();
  const claimedAt = performance.now();
  const { emails, hasFailed } = await claimForFreeSlots(ctx, free, expiredCheck);
  // Either every slot was used, or only workspaces without a slot were considered.
  const mayBeMore = free.isReserve || emails.length === free.count;
  ctx.slots.assign(
    free,
    emails.map(({ workspaceId }) => workspaceId),
    mayBeMore,
  );
  for (const email of emails) void deliverUnderLease(ctx, email, claimedAt);
  return !hasFailed;
}

/** @property hasFailed whether a claim failed, so claiming again at once would not help */
type Batch = { readonly emails: readonly ClaimedEmail[]; readonly hasFailed: boolean };

/** Claims emails of stopped workers first, then due emails in fair shares, then more due emails if slots are left. */
async function claimForFreeSlots(ctx: WorkerContext, free: FreeSlots, expiredCheck: ExpiredCheck): Promise<Batch> {
  const emails: ClaimedEmail[] = [];
  try {
    for (const claim of claimsToMake(free, expiredCheck)) {
      const limit = free.count - emails.length;
      if (limit > 0) emails.push(...(await claim(ctx, limit, free)));
    }
    return { emails, hasFailed: false };
  } catch (error) {
    // Emails that an earlier claim in this round took are delivered anyway.
    ctx.log.warn({ error }, 'sweep_failed');
    // While Postgres was away, no worker could extend its leases. Every live worker does so within one interval.
    if (isUnavailable(error)) expiredCheck.notBefore = performance.now() + extensionMs(ctx.config) + RECONNECT_MS;
    return { emails, hasFailed: true };
  }
}

function claimsToMake({ isReserve }: FreeSlots, expiredCheck: ExpiredCheck) {
  if (isReserve) return [claimDue];
  if (!expiredCheck.isDue || performance.now() < expiredCheck.notBefore) return [claimDue, claimDue];
  expiredCheck.isDue = false;
  return [claimExpired, claimDue, claimDue];
}

function claimExpired({ db, config, leases }: WorkerContext, limit: number): Promise<ClaimedEmail[]> {
  return claimExpiredEmails(db, { limit, held: leases.held() }, config.leaseSeconds);
}

function claimDue({ db, config, slots }: WorkerContext, limit: number, { isReserve }: FreeSlots) {
  const due = { limit, holders: slots.activeWorkspaces(), onlyOthers: isReserve };
  return claimDueEmails(db, due, config.leaseSeconds);
}

async function cleanUp(ctx: WorkerContext): Promise<void> {
  try {
    await deleteExpiredIdempotencyKeys(ctx.db, MAX_EXPIRED_KEYS_PER_STATEMENT);
  } catch (error) {
    ctx.log.warn({ error }, 'cleanup_failed');
  }
}
