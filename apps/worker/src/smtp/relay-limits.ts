import { setTimeout as sleep } from 'node:timers/promises';
import type { ParsedWait, WaitsFor } from '@posthorn/domain/emails';
import {
  type Relay,
  readWarmUpDay,
  reserveTurns,
  returnWarmUp,
  takeWarmUp,
  toIntervalUs,
} from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';

/** What of a relay is limited over all workers, apart from its sessions. */
type Limited = Pick<Relay, 'id' | 'name' | 'rate' | 'warmUp'>;

export type LimitContext = Pick<Context, 'db' | 'incarnation' | 'log' | 'redis'>;

/** @property granted how many recipients may be tried now. If it is 0, `waitsFor` says why */
export type Admission = { readonly granted: number; readonly waitsFor: WaitsFor };

export type RelayLimits = ReturnType<typeof openRelayLimits>;

/** How long before its turn an email may take a slot. */
export const AHEAD_MS = 250;
const ANY_TIME_MS = 1e9;
/** While Redis is unreachable, each worker acts as one of so many. */
export const WORKERS_WITHOUT_REDIS = 4;

/** The rate and the warm-up of a relay. */
export function openRelayLimits(ctx: LimitContext, relay: Limited) {
  const turns = openTurns(ctx, relay);
  return {
    /** Waits for the turn of an email, if that is near. Never throws: without Postgres, a warm-up lets mail wait. */
    async admit(recipients: number): Promise<Admission> {
      const waitMs = await turns.take(recipients);
      if (waitMs === null) return { granted: 0, waitsFor: `rate:${relay.name}` };
      const granted = await grantWarmUp(ctx, relay, recipients);
      if (waitMs > 0 && granted > 0) await sleep(waitMs);
      return { granted, waitsFor: `warm-up:${relay.name}` };
    },
    /** Call this if the recipients were not tried. */
    async giveBack(recipients: number): Promise<void> {
      if (relay.warmUp === null) return;
      await returnWarmUp(ctx.db, relay, recipients).catch((error) => ctx.log.debug({ error }, 'warm_up_not_returned'));
    },
    /** How many emails that wait for this relay may be claimed. The turns that this reserves are used by the next ones. */
    async prepare(kind: ParsedWait['kind'], max: number): Promise<number> {
      if (kind === 'rate') return turns.prepare(max);
      return kind === 'warm-up' ? countRoom(ctx, relay, max) : max;
    },
  };
}

async function grantWarmUp({ db, log }: LimitContext, { id, warmUp }: Limited, recipients: number): Promise<number> {
  if (warmUp === null) return recipients;
  try {
    return (await takeWarmUp(db, { id, warmUp }, recipients)) ?? recipients;
  } catch (error) {
    log.warn({ error }, 'warm_up_not_read');
    return 0;
  }
}

async function countRoom({ db }: LimitContext, { id, warmUp }: Limited, max: number): Promise<number> {
  const { day, recipients } = await readWarmUpDay(db, id);
  const limit = warmUp?.[day - 1];
  return limit === undefined ? max : Math.min(max, Math.max(0, limit - recipients));
}

/** The turns that a rate leaves, evenly spaced over all workers. A rate saves nothing up. */
function openTurns(ctx: LimitContext, { id, rate }: Limited) {
  const intervalMs = rate === null ? 0 : toIntervalUs(rate) / 1_000;
  /** When turns begin that were reserved for emails to come, by `performance.now()`. */
  let prepared: number[] = [];
  let nextAlone = 0;

  /** @returns when the first of the turns begins; null if that is more than `aheadMs` away */
  async function reserve(count: number, aheadMs = AHEAD_MS): Promise<number | null> {
    const now = performance.now();
    if (rate === null) return now;
    try {
      const waitMs = await reserveTurns(ctx, id, { rate, count, aheadMs });
      return waitMs === null ? null : now + waitMs;
    } catch {
      const start = Math.max(now, nextAlone);
      if (start - now > aheadMs) return null;
      nextAlone = start + intervalMs * count * WORKERS_WITHOUT_REDIS;
      return start;
    }
  }

  return {
    /** @returns the milliseconds until the first turn begins; null if that is too far away */
    async take(count: number): Promise<number | null> {
      const now = performance.now();
      // A turn that nobody took in time is lost.
      prepared = prepared.filter((at) => at > now - AHEAD_MS);
      const taken = prepared.splice(0, count);
      const [first = null] = taken;
      // An email begins with its first turn. The next one waits until the others are over, too.
      if (first !== null && taken.length < count) await reserve(count - taken.length, ANY_TIME_MS);
      const at = first ?? (await reserve(count));
      return at === null ? null : Math.max(0, at - now);
    },
    async prepare(max: number): Promise<number> {
      if (rate === null) return max;
      const count = Math.max(1, Math.min(max, Math.floor(AHEAD_MS / intervalMs)));
      const first = await reserve(count);
      if (first === null) return 0;
      prepared.push(...Array.from({ length: count }, (_, index) => first + index * intervalMs));
      return count;
    },
  };
}
