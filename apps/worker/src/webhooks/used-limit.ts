import { claimShare, SHARE_MS, type Share, type SharedLimit, type ShareRequest } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';

/** How a request ended: with a 2xx, with another answer, with none, or before it was made. */
export type RequestEnd = 'accepted' | 'refused' | 'unanswered' | 'not made';

/** A shared limit as one worker uses it. Times are those of `performance.now`. */
export type UsedLimit<Waiting> = {
  limit: SharedLimit;
  /** What this worker was given, and until when. */
  atOnce: number;
  atOnceUntil: number;
  starts: number;
  startsUntil: number;
  /** What all workers may do, as far as this one knows. */
  total: number;
  isProven: boolean;
  running: number;
  /** How requests ended since the last call. */
  ended: Record<Exclude<RequestEnd, 'not made'>, number>;
  /** How many starts to ask for. */
  ask: number;
  readonly waiting: Waiting[];
  leases: number;
  /** When a lease could not begin, because there were too many. */
  refusedAt: number;
  usedAt: number;
  claimedAt: number;
  isClaiming: boolean;
  timer: NodeJS.Timeout | undefined;
};

/** How a worker takes its shares. `onShare` is called when it has got one. */
export type Claimer<Waiting> = {
  readonly redis: Context['redis'];
  /** The name of this worker in Redis. */
  readonly worker: string;
  readonly onShare: (used: UsedLimit<Waiting>) => void;
};

/** Calls for the same limit are at least so far apart. */
const PAUSE_MS = 20;
const RETRY_MS = 50;
/** Most leases need a single call, and a busy receiver a few calls per second. */
const FIRST_ASK = 4;
const MAX_ASK = 4_096;
/** If a window ends earlier, starts are left for the next one, so that not each of a busy receiver's is begun with a call. */
const MIN_WINDOW_MS = 500;
/** While Redis is unreachable, each worker acts as one of so many. */
const WORKERS_WITHOUT_REDIS = 4;

const countNone = () => ({ accepted: 0, refused: 0, unanswered: 0 });

export function createUsedLimit<Waiting>(limit: SharedLimit): UsedLimit<Waiting> {
  return {
    limit,
    ...{ atOnce: 0, atOnceUntil: 0, starts: 0, startsUntil: 0 },
    ...{ total: limit.first, isProven: false, running: 0, ended: countNone() },
    ...{ ask: Math.min(FIRST_ASK, limit.most), waiting: [], leases: 0, refusedAt: 0 },
    ...{ usedAt: 0, claimedAt: Number.NEGATIVE_INFINITY },
    isClaiming: false,
    timer: undefined,
  };
}

export function hasRoom({ running, atOnce, atOnceUntil, starts, startsUntil }: UsedLimit<unknown>, now: number) {
  return running < atOnce && starts > 0 && now < atOnceUntil && now < startsUntil;
}

export function isInUse({ running, waiting, ended }: UsedLimit<unknown>): boolean {
  return running + waiting.length + ended.accepted + ended.refused + ended.unanswered > 0;
}

/** Whether the next share should be there before this one is used up. */
export function isRunningLow({ starts, ask }: UsedLimit<unknown>): boolean {
  return starts < ask / 4;
}

export function claimSoon<Waiting>(claimer: Claimer<Waiting>, used: UsedLimit<Waiting>): void {
  const ms = used.claimedAt + PAUSE_MS - performance.now();
  if (ms > 0) claimLater(claimer, used, ms);
  else void claim(claimer, used);
}

function claimLater<Waiting>(claimer: Claimer<Waiting>, used: UsedLimit<Waiting>, ms: number): void {
  if (!used.isClaiming) used.timer ??= setTimeout(claim, ms, claimer, used).unref();
}

async function claim<Waiting>(claimer: Claimer<Waiting>, used: UsedLimit<Waiting>): Promise<void> {
  if (used.isClaiming) return;
  clearTimeout(used.timer);
  used.timer = undefined;
  used.isClaiming = true;
  const { ended } = used;
  const askedAt = performance.now();
  used.ended = countNone();
  try {
    const request = { worker: claimer.worker, ...ended, ...computeNeed(used, askedAt) };
    addShare(used, await claimShare(claimer, used.limit, request), askedAt);
  } catch {
    addOwnShare(used, ended, askedAt);
  }
  used.isProven ||= ended.accepted > 0;
  used.isClaiming = false;
  used.claimedAt = performance.now();
  claimer.onShare(used);
  if (used.waiting.length > 0) claimLater(claimer, used, RETRY_MS);
}

/** Asks for twice as many starts if those of the last call were used up quickly, and for fewer if most are left. */
function computeNeed(used: UsedLimit<unknown>, now: number): Pick<ShareRequest, 'running' | 'atOnce' | 'starts'> {
  const { limit, running, waiting } = used;
  if (now >= used.startsUntil) used.starts = 0;
  if (limit.most > 1) {
    if (isRunningLow(used)) used.ask = Math.min(2 * used.ask, MAX_ASK);
    else if (used.starts > used.ask / 2) used.ask = Math.max(FIRST_ASK, used.ask / 2);
  }
  return {
    running,
    atOnce: Math.min(limit.most, Math.max(FIRST_ASK, running + waiting.length)),
    starts: Math.max(0, used.ask - used.starts),
  };
}

function addShare(used: UsedLimit<unknown>, { atOnce, starts, total, windowEndsInMs }: Share, now: number): void {
  used.atOnce = atOnce;
  used.atOnceUntil = now + SHARE_MS;
  used.starts += starts;
  used.startsUntil = now + Math.max(windowEndsInMs, MIN_WINDOW_MS);
  used.total = total;
}

/** @param ended how requests have ended that Redis does not know about */
function addOwnShare(used: UsedLimit<unknown>, ended: UsedLimit<unknown>['ended'], now: number): void {
  const { first, most, lessAfterRefused, lessAfterUnanswered, perWindow, windowSeconds } = used.limit;
  const less = ended.refused * lessAfterRefused + ended.unanswered * lessAfterUnanswered;
  used.total = Math.max(first, Math.min(most, used.total + ended.accepted - less));
  used.atOnce = Math.ceil(used.total / WORKERS_WITHOUT_REDIS);
  used.atOnceUntil = now + SHARE_MS;
  if (now < used.startsUntil) return;
  used.starts = Math.ceil((used.isProven ? perWindow.proven : perWindow.atFirst) / WORKERS_WITHOUT_REDIS);
  used.startsUntil = now + windowSeconds * 1_000;
}
