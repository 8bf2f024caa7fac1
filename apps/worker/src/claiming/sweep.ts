import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedEmail, selectDueEmails, selectExpiredEmails } from '@posthorn/domain/delivery';
import { isUnavailable } from '@posthorn/platform/postgres';
import { createPause, type Loop } from '@posthorn/platform/processes';
import { deliverUnderLease } from '../delivering/deliver-email.js';
import { getExtensionMs } from '../delivering/leases.js';
import { claimOrSetAside, markDueOrSetAside, type WorkerContext } from './claim-emails.js';
import { claimHeldBack, LOOK_EVERY_MS } from './held-back.js';
import type { FreeSlots } from './slots.js';

export type Sweep = Loop & {
  /** How many rounds have ended so far. If the number stops growing, the sweep is stuck. */
  rounds(): number;
  /** Whether the latest rounds that looked for emails all failed. */
  isFailing(): boolean;
};

/** A single failure may be due to a deadlock, or to one email that is then set aside. */
const MIN_FAILED_ROUNDS = 3;
/** Many more than a round can claim, so that emails do not wait to be marked. */
const MAX_MARKED_PER_STATEMENT = 1_000;

/**
 * Finds due emails that no delivery job announced: scheduled emails, retries, emails of stopped workers, emails that
 * got no slot, and every email while Redis is down. It delivers these emails without using the queue, so losing the
 * queue loses no emails.
 */
export function startSweep(ctx: WorkerContext): Sweep {
  const { sweepIntervalMs } = ctx.config;
  let rounds = 0;
  let stopped = false;
  const pause = createPause();

  const state: SweepState = {
    ...{ isMarkingDue: true, isExpiredCheckDue: true, expiredCheckNotBefore: 0, failedRounds: 0 },
    ...{ hasHeldBack: false, heldBackNotBefore: 0 },
  };
  const checksTimer = setInterval(() => {
    state.isMarkingDue = true;
    state.isExpiredCheckDue = true;
  }, sweepIntervalMs).unref();

  async function run(): Promise<void> {
    while (!stopped) {
      const { mayRepeat } = await sweepOnce(ctx, state);
      rounds += 1;
      if (!stopped) {
        const pauses = [pause.sleep(sweepIntervalMs), ...(mayRepeat === null ? [] : [mayRepeat])];
        await Promise.race(pauses);
      }
      pause.wake();
    }
  }

  const running = run();
  return {
    rounds: () => rounds,
    isFailing: () => state.failedRounds >= MIN_FAILED_ROUNDS,
    async stop() {
      stopped = true;
      clearInterval(checksTimer);
      pause.wake();
      await running;
    },
  };
}

/**
 * Two checks run only once per interval, because rounds follow each other within milliseconds when there is a backlog.
 */
type SweepState = {
  /** Whether the next round first marks the scheduled and deferred emails whose time has come as due. */
  isMarkingDue: boolean;
  /** Whether the next round that gets shared slots also looks for emails of stopped workers. */
  isExpiredCheckDue: boolean;
  /** No round looks for emails of stopped workers until `performance.now()` has reached this value. */
  expiredCheckNotBefore: number;
  /** Rounds in a row whose claims failed. */
  failedRounds: number;
  /** Whether emails were held back when a round last looked, and when the next one looks again. */
  hasHeldBack: boolean;
  heldBackNotBefore: number;
};

/** A worker needs this long to connect to Postgres again and record what it has in hand. */
const RECONNECT_MS = 2_000;

/** @property mayRepeat settles when the next round may begin before the interval is over; null if it may not */
type Round = { readonly mayRepeat: Promise<void> | null };

const NO_SLOTS: UsableSlots = { count: 0, isReserve: true, limit: 0, isProbe: false };

async function sweepOnce(ctx: WorkerContext, state: SweepState): Promise<Round> {
  const { isServicePaused } = await ctx.pauses.read();
  if (isServicePaused || !ctx.relays.areAvailable()) {
    // Scheduled and deferred emails must still become due while no relay works or sending is paused, so that any whose
    // time has run out can fail or expire.
    await claimForFreeSlots(ctx, NO_SLOTS, state);
    return { mayRepeat: null };
  }
  const isProbe = ctx.relays.needProbe();
  const free = ctx.slots.takeAll();
  const limit = isProbe ? Math.min(1, free.count) : free.count;
  const claimedAt = performance.now();
  const { emails, hasFailed } = await claimForFreeSlots(ctx, { ...free, limit, isProbe }, state);
  // There may be more due emails if every slot was used, or if only workspaces without a slot were considered.
  const mayBeMore = free.isReserve || emails.length === limit;
  ctx.slots.assign(
    free,
    emails.map(({ workspaceId }) => workspaceId),
    mayBeMore,
  );
  let delivery: Promise<void> | null = null;
  for (const email of emails) delivery = deliverUnderLease(ctx, email, { claimedAt, source: 'sweep' });
  if (hasFailed) return { mayRepeat: null };
  // A probe may end before it reaches a relay, for example because its sending domain was deleted. The next email is
  // then the probe.
  if (isProbe) return { mayRepeat: delivery };
  const nextLook = state.hasHeldBack ? [sleep(LOOK_EVERY_MS)] : [];
  return { mayRepeat: Promise.race([ctx.slots.untilSlotForBacklog(), ...nextLook]) };
}

/**
 * @property limit how many of the slots may be used
 * @property isProbe whether the email probes a relay
 */
type UsableSlots = FreeSlots & { readonly limit: number; readonly isProbe: boolean };

/** @property hasFailed whether a claim failed, so claiming again at once would not help */
type Batch = { readonly emails: readonly ClaimedEmail[]; readonly hasFailed: boolean };

/**
 * Claims emails of stopped workers first, then due emails in fair shares, then more due emails if slots are left. The
 * emails of one claim are delivered even if another claim fails.
 */
async function claimForFreeSlots(ctx: WorkerContext, free: UsableSlots, state: SweepState): Promise<Batch> {
  const emails: ClaimedEmail[] = [];
  const failures: unknown[] = [];
  const hasMarked = await markDue(ctx, state).catch((error) => failures.push(error));
  for (const claim of claimsToMake(free, state)) {
    const limit = free.limit - emails.length;
    if (limit === 0 || failures.some(isUnavailable)) break;
    await claim(ctx, limit, free).then(
      (claimed) => emails.push(...claimed),
      (error) => failures.push(error),
    );
  }
  for (const error of failures) ctx.log.warn({ error }, 'sweep_failed');
  if (failures.length > 0) ctx.metrics.sweepFailures.inc();
  // While Postgres was unavailable, no worker could extend its leases. Once it is back, every live worker does so
  // within one interval.
  if (failures.some(isUnavailable)) {
    state.expiredCheckNotBefore = performance.now() + getExtensionMs(ctx.config) + RECONNECT_MS;
  }
  if (failures.length > 0) state.failedRounds += 1;
  else if (free.limit > 0 || hasMarked) state.failedRounds = 0;
  return { emails, hasFailed: failures.length > 0 };
}

/** After a full batch, the next round marks more. @returns whether this round has looked for emails to mark */
async function markDue(ctx: WorkerContext, state: SweepState): Promise<boolean> {
  if (!state.isMarkingDue) return false;
  state.isMarkingDue = (await markDueOrSetAside(ctx, MAX_MARKED_PER_STATEMENT)) === MAX_MARKED_PER_STATEMENT;
  return true;
}

function claimsToMake({ isReserve, isProbe }: UsableSlots, state: SweepState) {
  if (isReserve) return [claimDue];
  const heldBack = buildClaimHeldBack(state);
  if (isProbe) return [claimDue, ...heldBack];
  if (!state.isExpiredCheckDue || performance.now() < state.expiredCheckNotBefore)
    return [...heldBack, claimDue, claimDue];
  state.isExpiredCheckDue = false;
  return [claimExpired, ...heldBack, claimDue, claimDue];
}

/** Emails that were held back get half of the slots at most, so that however many there are, others go on. */
function buildClaimHeldBack(state: SweepState) {
  const now = performance.now();
  if (now < state.heldBackNotBefore) return [];
  state.heldBackNotBefore = now + LOOK_EVERY_MS;
  return [
    async (ctx: WorkerContext, limit: number) => {
      const emails = await claimHeldBack(ctx, Math.ceil(limit / 2));
      state.hasHeldBack = emails !== null;
      return emails ?? [];
    },
  ];
}

async function claimExpired(ctx: WorkerContext, limit: number): Promise<ClaimedEmail[]> {
  const { db, config } = ctx;
  const { workspaceIds: paused } = await ctx.pauses.read();
  const expired = { limit, held: ctx.leases.held(), paused };
  return claimOrSetAside(ctx, selectExpiredEmails(db, expired, config.leaseSeconds));
}

async function claimDue(
  ctx: WorkerContext,
  limit: number,
  { isReserve, isProbe }: UsableSlots,
): Promise<ClaimedEmail[]> {
  const { db, config } = ctx;
  const { workspaceIds: paused } = await ctx.pauses.read();
  const due = { limit, holders: ctx.slots.activeWorkspaces(), onlyOthers: isReserve, paused, isProbe };
  return claimOrSetAside(ctx, selectDueEmails(db, due, config.leaseSeconds));
}
