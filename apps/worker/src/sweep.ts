import { type ClaimedEmail, claimDueEmails, claimExpiredEmails, deleteExpiredKeys } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { deliverUnderLease } from './deliver-under-lease.js';
import { createPause } from './pause.js';
import type { FreeSlots } from './slots.js';

export type Sweep = {
  /** Rounds so far: a number that stands still tells of a sweep that is stuck. */
  rounds(): number;
  stop(): Promise<void>;
};

const MAX_EXPIRED_KEYS_PER_STATEMENT = 1_000;
const CLEAN_UP_EVERY_MS = 60_000;

/**
 * Finds what no bell was heard for: scheduled mail whose time has come, retries, mail of dead workers,
 * what found no room, everything while Redis is away. It delivers at once what it claims, so a lost
 * queue costs nothing.
 */
export function startSweep(ctx: WorkerContext): Sweep {
  const { sweepIntervalMs } = ctx.config;
  let rounds = 0;
  let stopped = false;
  const pause = createPause();

  // Once in an interval: while a backlog is drained, rounds follow each other within milliseconds.
  const expired = { isToBeAsked: true };
  const asking = setInterval(() => {
    expired.isToBeAsked = true;
  }, sweepIntervalMs).unref();

  async function run(): Promise<void> {
    while (!stopped) {
      const goesOn = await sweepOnce(ctx, expired);
      rounds += 1;
      if (!stopped) await Promise.race([pause.rest(sweepIntervalMs), ...(goesOn ? [ctx.slots.roomForMore()] : [])]);
      pause.wake();
    }
  }

  const running = run();
  const cleaning = setInterval(() => void cleanUp(ctx), CLEAN_UP_EVERY_MS).unref();
  return {
    rounds: () => rounds,
    async stop() {
      stopped = true;
      clearInterval(asking);
      clearInterval(cleaning);
      pause.wake();
      await running;
    },
  };
}

/** Whether the next round with room for it looks for mail of dead workers too. */
type Expired = { isToBeAsked: boolean };

/** @returns whether the next round may begin as soon as there is room for mail that found none */
async function sweepOnce(ctx: WorkerContext, expired: Expired): Promise<boolean> {
  if (!ctx.relays.areOpen()) return false;
  const free = ctx.slots.takeFree();
  const claimedAt = performance.now();
  const { emails, isCut } = await claimBatch(ctx, free, expired);
  // All the room was used, or the look was only for those who hold nothing: more may wait.
  const mayBeMore = free.isReserve || emails.length === free.count;
  ctx.slots.keep(
    free,
    emails.map(({ workspaceId }) => workspaceId),
    mayBeMore,
  );
  for (const email of emails) void deliverUnderLease(ctx, email, claimedAt);
  return !isCut;
}

/** @property isCut a claim failed: asking again at once would not help */
type Batch = { readonly emails: readonly ClaimedEmail[]; readonly isCut: boolean };

/** Mail of dead workers first, then fair shares of what is due, then whatever is due. */
async function claimBatch(ctx: WorkerContext, free: FreeSlots, expired: Expired): Promise<Batch> {
  const emails: ClaimedEmail[] = [];
  try {
    for (const claim of claimsToMake(free, expired)) {
      const limit = free.count - emails.length;
      if (limit > 0) emails.push(...(await claim(ctx, limit, free)));
    }
    return { emails, isCut: false };
  } catch (error) {
    // What one claim has taken is delivered, whatever becomes of the next.
    ctx.log.warn({ error }, 'sweep_failed');
    return { emails, isCut: true };
  }
}

function claimsToMake({ isReserve }: FreeSlots, expired: Expired) {
  if (isReserve) return [claimDue];
  const claims = expired.isToBeAsked ? [claimExpired, claimDue, claimDue] : [claimDue, claimDue];
  expired.isToBeAsked = false;
  return claims;
}

function claimExpired({ db, config, leases }: WorkerContext, limit: number): Promise<ClaimedEmail[]> {
  return claimExpiredEmails(db, { limit, held: leases.held() }, config.leaseSeconds);
}

function claimDue({ db, config, slots }: WorkerContext, limit: number, { isReserve }: FreeSlots) {
  return claimDueEmails(db, { limit, holders: slots.holders(), onlyOthers: isReserve }, config.leaseSeconds);
}

async function cleanUp(ctx: WorkerContext): Promise<void> {
  try {
    await deleteExpiredKeys(ctx.db, MAX_EXPIRED_KEYS_PER_STATEMENT);
  } catch (error) {
    ctx.log.warn({ error }, 'cleanup_failed');
  }
}
