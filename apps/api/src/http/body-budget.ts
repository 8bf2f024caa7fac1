import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import {
  countSecondsUntil,
  createByteBudget,
  createFixedWindows,
  NO_BYTES,
  type UsedBytes,
} from '@posthorn/domain/throttles';
import { formatCount } from '@posthorn/platform/values';
import type { Response } from 'express';
import { toClientAddress } from './client-address.js';

/** Bodies up to this size are not counted. Their number is bounded by the rate limits. */
export const MAX_SMALL_BODY_BYTES = limits.smallBody.max;

const MINUTE_MS = 60_000;

/** A workspace that may send more emails may also send more bytes. */
const BYTES_PER_EMAIL = 1_000_000;

type Bounds = Parameters<typeof createByteBudget>[0];

export const BODIES: Bounds = {
  maxPerOwner: limits.bodiesOfWorkspace.max,
  maxInTotal: limits.bodiesOfProcess.max,
  what: 'large bodies',
};

/** For whole messages, which a client can read slowly. Bodies that clients send have memory of their own. */
export const DOWNLOADS: Bounds = {
  maxPerOwner: limits.downloadsOfWorkspace.max,
  maxInTotal: limits.downloadsOfProcess.max,
  what: 'large messages',
};

const MAX_WAIT_MS = limits.downloadWaitSeconds.max * 1_000;

/** How often a download that waits looks for room. */
const LOOK_MS = 100;

export type BodyBudget = {
  /**
   * Call this before a large body arrives. Its declared length counts against the workspace's limit at once. Only the
   * bytes that have arrived count against the process's limit, because a declared length takes no memory.
   * @param response its `locals.caller` is set
   * @param bytes the declared length
   * @throws Refusal rate_limited if there is no room for the body
   */
  expect(response: Response, bytes: number): void;
  /**
   * Counts bytes of a large body that have arrived, or that a response needs. They count toward the byte limit for the
   * current minute. They also count as in progress until the response is finished, its connection is lost or `drop` is
   * called.
   * @param response its `locals.caller` is set
   * @throws Refusal rate_limited if the bodies of the workspace or of the process would exceed a limit
   */
  reserve(response: Response, bytes: number): void;
  /**
   * Like `reserve`, but waits for room for a few seconds.
   * @throws Refusal rate_limited if the workspace still has too much in progress; unavailable if others have
   */
  reserveWhenFree(response: Response, bytes: number): Promise<void>;
  /** Releases the bytes of a refused body, because they are no longer in memory. */
  drop(response: Response): void;
  /**
   * Call this before work that may read or produce a large body.
   * @throws Refusal rate_limited if the byte limit for this minute is used up
   */
  assertBytesLeft(response: Response): void;
  used(): number;
  /** The bytes of one request and its response, including bytes that were refused. */
  requestedBytes(response: Response): number;
};

/**
 * Bounds the memory and the time that large bodies take. A hundred of them at the same time would take a gigabyte, and
 * each megabyte takes several milliseconds to read, encode and write.
 */
export function createBodyBudget(bounds: Bounds): BodyBudget {
  const { inProgress, requests, requested, start, assertBytesLeft, reserve } = createReservations(bounds);
  return {
    assertBytesLeft,
    reserve,
    async reserveWhenFree(response, bytes) {
      assertBytesLeft(response);
      const { owner } = getOwner(response);
      const assertRoom = () => inProgress.assertRoom(owner, NO_BYTES, { expected: bytes, taken: bytes });
      await untilRoom(response, assertRoom, () => inProgress.holds(owner));
      reserve(response, bytes);
    },
    expect(response, bytes) {
      requested.add(response, bytes);
      if (isGone(response)) return;
      assertBytesLeft(response);
      const { owner } = getOwner(response);
      inProgress.assertRoom(owner, NO_BYTES, { expected: bytes, taken: bytes });
      inProgress.add(owner, start(response, owner), { expected: bytes, taken: 0 });
    },
    drop(response) {
      const own = requests.get(response);
      if (own !== undefined) inProgress.remove(getOwner(response).owner, own);
    },
    used: inProgress.used,
    requestedBytes: requested.of,
  };
}

/** The bytes of each request, and those of all requests that are in progress and of this minute. */
function createReservations(bounds: Parameters<typeof createByteBudget>[0]) {
  const inProgress = createByteBudget(bounds);
  const requests = new WeakMap<Response, UsedBytes>();
  const minutes = createMinutes();
  const requested = requestedBytes();

  function start(response: Response, owner: string): UsedBytes {
    const own = { expected: 0, taken: 0 };
    requests.set(response, own);
    releaseWhenClosed(response, () => inProgress.remove(owner, own));
    return own;
  }

  const assertBytesLeft = (response: Response) => {
    if (!requests.has(response)) minutes.assertBytesLeft(getOwner(response));
  };

  function reserve(response: Response, bytes: number): void {
    const own = requests.get(response) ?? NO_BYTES;
    const more = { expected: Math.max(own.taken + bytes - own.expected, Math.min(bytes, 0)), taken: bytes };
    requested.add(response, more.expected);
    if (isGone(response)) return;
    assertBytesLeft(response);
    const { owner } = getOwner(response);
    if (bytes > 0) inProgress.assertRoom(owner, own, more);
    minutes.count(owner, bytes);
    inProgress.add(owner, requests.get(response) ?? start(response, owner), more);
  }

  return { inProgress, requests, requested, start, assertBytesLeft, reserve };
}

/**
 * @param assertRoom throws while there is no room
 * @param isOwnFault whether the workspace has something in progress itself
 */
async function untilRoom(response: Response, assertRoom: () => void, isOwnFault: () => boolean): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while (!isGone(response)) {
    try {
      assertRoom();
      return;
    } catch (error) {
      if (performance.now() >= until) throw isOwnFault() ? error : new Refusal('unavailable');
    }
    await sleep(LOOK_MS);
  }
}

function requestedBytes() {
  const requested = new WeakMap<Response, number>();
  const of = (response: Response): number => requested.get(response) ?? 0;
  return { of, add: (response: Response, bytes: number) => requested.set(response, of(response) + bytes) };
}

function createMinutes() {
  const minutes = createFixedWindows(MINUTE_MS);
  return {
    count(owner: string, bytes: number): void {
      minutes.windowFor(owner).count += bytes;
    },
    assertBytesLeft({ owner, maxPerMinute }: Owner): void {
      const { count, endsAt } = minutes.windowFor(owner);
      if (count < maxPerMinute) return;
      const limit = `${formatCount(maxPerMinute)} bytes of large bodies per minute`;
      throw new Refusal('rate_limited', { limit, retryAfterSeconds: countSecondsUntil(endsAt) });
    },
  };
}

type Owner = { readonly owner: string; readonly maxPerMinute: number };

/** The workspace, or the IP address if there is no workspace. */
function getOwner({ req, locals }: Response): Owner {
  const { max } = limits.bodiesPerMinute;
  const caller = locals.caller as Caller | null;
  if (caller === null) return { owner: toClientAddress(req), maxPerMinute: max };
  const { liveId, allowance } = caller.workspace;
  return { owner: liveId, maxPerMinute: Math.max(max, allowance.ratePerMinute * BYTES_PER_EMAIL) };
}

/** Whether the client's connection is lost, or the response has been sent. */
export function isGone({ closed, req }: Response): boolean {
  return closed || req.socket.destroyed;
}

/** If the connection is lost, a response that waits behind other responses emits no `close` event of its own. */
function releaseWhenClosed(response: Response, release: () => void): void {
  const { socket } = response.req;
  let isReleased = false;
  const releaseOnce = () => {
    response.off('close', releaseOnce);
    socket.off('close', releaseOnce);
    // Both events can occur at the same time.
    if (!isReleased) release();
    isReleased = true;
  };
  response.once('close', releaseOnce);
  socket.once('close', releaseOnce);
}
