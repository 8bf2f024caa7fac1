import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHARE_MS, type SharedLimit } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import {
  type Claimer,
  claimSoon,
  createUsedLimit,
  hasRoom,
  isInUse,
  isRunningLow,
  type RequestEnd,
  type UsedLimit,
} from './used-limit.js';

/** Permits for the requests of one lease. */
export type Permits = {
  /** @returns whether the lease may begin. If so, `end` must be called */
  begin(): Promise<boolean>;
  end(): void;
  /** Whether another lease could not begin because of this one. */
  areWanted(): boolean;
  /**
   * Takes a permit for one request. If there is no room, it waits as long as a request of the lease is running, and a
   * moment longer.
   * @returns true, or a promise of whether there is room
   */
  take(): true | Promise<boolean>;
  release(end: RequestEnd): void;
  /** How long the next lease should wait; 0 if there was room for this one. */
  postponeSeconds(): number;
};

export type RequestPermits = {
  /** @param limits that all requests of the lease count towards, first the one that ends with an accepted request */
  open(limits: readonly SharedLimit[]): Permits;
  close(): void;
};

/** How long a lease without a running request waits for room, before it gives up its slot. */
const WAIT_TIMEOUT_MS = 250;
const MIN_POSTPONE_MS = 500;
/** For a lease that cannot begin because of others, which take turns of a second. */
const NEXT_LEASE_MS = 2_000;
const LOOK_AGAIN_MS = 25;
/** A share is renewed so often while requests are running. */
const RENEW_MS = SHARE_MS / 4;
/** A limit that was not used for so long is forgotten. That is longer than any lease. */
const IDLE_MS = 60_000;

type Waiting = { readonly lease: Lease; readonly end: (hasRoom: boolean) => void; timer?: NodeJS.Timeout };
type Lease = {
  readonly openedAt: number;
  readonly limits: ReadonlyArray<UsedLimit<Waiting>>;
  /** Those that still apply. */
  used: ReadonlyArray<UsedLimit<Waiting>>;
  running: number;
  postponeMs: number;
};

/**
 * Hands out permits for requests to receivers, within limits that all workers share. This worker has a share of each
 * limit that it uses, and renews it with a call to Redis twice a second, or earlier when it is used up. So a request
 * needs a round trip only if it is the first one in a while. While Redis is unreachable, the worker takes a fixed part.
 */
export function openRequestPermits({ redis }: Pick<Context, 'redis'>): RequestPermits {
  const all = new Map<string, UsedLimit<Waiting>>();
  const claimer: Claimer<Waiting> = { redis, worker: randomUUID(), onShare: (used) => serve(claimer, used) };
  const renewing = setInterval(renew, RENEW_MS, claimer, all).unref();

  function use(limit: SharedLimit): UsedLimit<Waiting> {
    const used = all.get(limit.key) ?? createUsedLimit<Waiting>(limit);
    all.set(limit.key, used);
    // What the workspace may send can have changed.
    used.limit = limit;
    used.usedAt = performance.now();
    if (used.atOnceUntil < used.usedAt) claimSoon(claimer, used);
    return used;
  }

  return {
    open(limits) {
      const lease = createLease(limits.map(use));
      return {
        begin: () => begin(claimer, lease),
        end: () => changeLeases(lease, -1),
        areWanted: () => lease.limits.some(({ refusedAt }) => refusedAt > lease.openedAt),
        take: () => take(claimer, lease),
        release: (end) => release(claimer, lease, end),
        postponeSeconds: () => lease.postponeMs / 1_000,
      };
    },
    close() {
      clearInterval(renewing);
      for (const { timer } of all.values()) clearTimeout(timer);
    },
  };
}

function createLease(used: ReadonlyArray<UsedLimit<Waiting>>): Lease {
  return { openedAt: performance.now(), limits: used, used, running: 0, postponeMs: 0 };
}

/** Nothing is read for a lease that cannot make a request. */
async function begin(claimer: Claimer<Waiting>, lease: Lease): Promise<boolean> {
  if (!(await takePlace(lease))) {
    lease.postponeMs = NEXT_LEASE_MS;
    return false;
  }
  const hasRoom = await take(claimer, lease);
  if (hasRoom) release(claimer, lease, 'not made');
  else changeLeases(lease, -1);
  return hasRoom;
}

/** Most leases are short, so waiting for a moment is usually enough. */
async function takePlace(lease: Lease): Promise<boolean> {
  for (const till = performance.now() + WAIT_TIMEOUT_MS; ; await sleep(LOOK_AGAIN_MS)) {
    const busy = lease.limits.filter(({ leases, limit }) => leases >= limit.mostLeases);
    if (busy.length === 0) {
      changeLeases(lease, 1);
      return true;
    }
    for (const used of busy) used.refusedAt = performance.now();
    if (performance.now() > till) return false;
  }
}

function changeLeases({ limits }: Lease, change: number): void {
  for (const used of limits) used.leases += change;
}

function renew(claimer: Claimer<Waiting>, all: Map<string, UsedLimit<Waiting>>): void {
  const now = performance.now();
  for (const [key, used] of all) {
    if (isInUse(used)) claimSoon(claimer, used);
    else if (used.usedAt + IDLE_MS < now) all.delete(key);
  }
}

function take(claimer: Claimer<Waiting>, lease: Lease): true | Promise<boolean> {
  const full = tryToTake(claimer, lease);
  if (full === undefined) return true;
  return new Promise((end) => {
    const waiting: Waiting = { lease, end };
    startWaitTimeout(waiting);
    waitFor(claimer, full, waiting);
  });
}

/** Takes a permit of every limit. @returns a limit without room, if there is one; then none is taken */
function tryToTake(claimer: Claimer<Waiting>, lease: Lease): UsedLimit<Waiting> | undefined {
  const now = performance.now();
  for (const used of lease.used) if (!hasRoom(used, now)) return used;
  lease.running += 1;
  for (const used of lease.used) {
    used.running += 1;
    used.starts -= 1;
    if (isRunningLow(used)) claimSoon(claimer, used);
  }
  return undefined;
}

function release(claimer: Claimer<Waiting>, lease: Lease, end: RequestEnd): void {
  lease.running -= 1;
  for (const used of lease.used) {
    used.running -= 1;
    used.usedAt = performance.now();
    if (end === 'not made') used.starts += 1;
    else used.ended[end] += 1;
    serve(claimer, used);
    if (used.waiting.length > 0) claimSoon(claimer, used);
  }
  if (end === 'accepted' && lease.used[0]?.limit.endsWhenAccepted) lease.used = lease.used.slice(1);
}

/** Gives permits to those who wait, first come, first served. */
function serve(claimer: Claimer<Waiting>, used: UsedLimit<Waiting>): void {
  while (used.waiting.length > 0 && hasRoom(used, performance.now())) {
    const next = used.waiting.shift() as Waiting;
    const full = tryToTake(claimer, next.lease);
    if (full === undefined) endWaiting(next, true);
    else waitFor(claimer, full, next);
  }
}

function waitFor(claimer: Claimer<Waiting>, used: UsedLimit<Waiting>, waiting: Waiting): void {
  used.waiting.push(waiting);
  claimSoon(claimer, used);
}

/** While a request of the lease is running, it may be what makes room. */
function startWaitTimeout(waiting: Waiting): void {
  waiting.timer = setTimeout(() => {
    if (waiting.lease.running > 0) startWaitTimeout(waiting);
    else giveUp(waiting);
  }, WAIT_TIMEOUT_MS);
}

function giveUp(waiting: Waiting): void {
  const { lease } = waiting;
  const now = performance.now();
  for (const used of lease.used) {
    const index = used.waiting.indexOf(waiting);
    if (index >= 0) used.waiting.splice(index, 1);
    const untilStartsMs = used.starts > 0 ? 0 : used.startsUntil - now;
    lease.postponeMs = Math.max(lease.postponeMs, untilStartsMs, MIN_POSTPONE_MS);
  }
  endWaiting(waiting, false);
}

function endWaiting({ timer, end }: Waiting, hasRoom: boolean): void {
  clearTimeout(timer);
  end(hasRoom);
}
