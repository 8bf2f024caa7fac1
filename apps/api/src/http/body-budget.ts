import type { Caller } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { countingWindows, secondsUntil } from '@posthorn/domain/throttles';
import { formatCount } from '@posthorn/platform/values';
import type { Response } from 'express';
import { clientAddressOf } from './client-address.js';
import { isGone } from './connection.js';

/** Bodies up to this size are not counted. Their number is bounded by the rate limits. */
export const MAX_SMALL_BODY_BYTES = limits.smallBody.max;

const MINUTE_MS = 60_000;

/** A workspace that may send more emails may also send more bytes. */
const BYTES_PER_EMAIL = 1_000_000;

export type ByteBudget = {
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
  /** Releases the bytes of a refused body, because they are no longer in memory. */
  drop(response: Response): void;
  /**
   * Call this before work that may read or produce a large body.
   * @throws Refusal rate_limited if the byte limit for this minute is used up
   */
  assertBytesLeft(response: Response): void;
  /** Bytes of bodies in progress. */
  used(): number;
  /** The bytes of one request and its response, including bytes that were refused. */
  requestedBytes(response: Response): number;
};

/**
 * Bounds the memory and the time that large bodies take. A hundred of them at the same time would take a gigabyte, and
 * each megabyte takes several milliseconds to read, encode and write.
 *
 * A workspace may use at most half as much memory as remains free. The less memory is free, the less each workspace
 * gets, so some memory is left for the next workspace even if all others use as much as they can.
 */
export function byteBudget(): ByteBudget {
  const inProgress = bytesInProgress();
  const requests = new WeakMap<Response, InProgress>();
  const minutes = bytesPerMinute();

  const requested = requestedBytes();

  function start(response: Response, owner: string): InProgress {
    const own = { expected: 0, taken: 0 };
    requests.set(response, own);
    releaseWhenClosed(response, () => inProgress.remove(owner, own));
    return own;
  }

  const assertBytesLeft = (response: Response) => {
    if (!requests.has(response)) minutes.assertBytesLeft(ownerOf(response));
  };

  return {
    assertBytesLeft,
    expect(response, bytes) {
      requested.add(response, bytes);
      if (isGone(response)) return;
      assertBytesLeft(response);
      const { owner } = ownerOf(response);
      inProgress.assertRoom(owner, NO_BYTES, { expected: bytes, taken: bytes });
      inProgress.add(owner, start(response, owner), { expected: bytes, taken: 0 });
    },
    reserve(response, bytes) {
      const own = requests.get(response) ?? NO_BYTES;
      const more = { expected: Math.max(own.taken + bytes - own.expected, Math.min(bytes, 0)), taken: bytes };
      requested.add(response, more.expected);
      if (isGone(response)) return;
      assertBytesLeft(response);
      const { owner } = ownerOf(response);
      if (bytes > 0) inProgress.assertRoom(owner, own, more);
      minutes.count(owner, bytes);
      inProgress.add(owner, requests.get(response) ?? start(response, owner), more);
    },
    drop(response) {
      const own = requests.get(response);
      if (own !== undefined) inProgress.remove(ownerOf(response).owner, own);
    },
    used: inProgress.used,
    requestedBytes: requested.of,
  };
}

function requestedBytes() {
  const requested = new WeakMap<Response, number>();
  const of = (response: Response): number => requested.get(response) ?? 0;
  return { of, add: (response: Response, bytes: number) => requested.set(response, of(response) + bytes) };
}

function bytesPerMinute() {
  const minutes = countingWindows(MINUTE_MS);
  return {
    count(owner: string, bytes: number): void {
      minutes.windowFor(owner).count += bytes;
    },
    assertBytesLeft({ owner, maxPerMinute }: Owner): void {
      const { count, endsAt } = minutes.windowFor(owner);
      if (count < maxPerMinute) return;
      const limit = `${formatCount(maxPerMinute)} bytes of large bodies per minute`;
      throw new Refusal('rate_limited', { limit, retryAfterSeconds: secondsUntil(endsAt) });
    },
  };
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

type Owner = { readonly owner: string; readonly maxPerMinute: number };

/** The workspace, or the IP address if there is no workspace. */
function ownerOf({ req, locals }: Response): Owner {
  const { max } = limits.bodiesPerMinute;
  const caller = locals.caller as Caller | null;
  if (caller === null) return { owner: clientAddressOf(req), maxPerMinute: max };
  const { liveId, allowance } = caller.workspace;
  return { owner: liveId, maxPerMinute: Math.max(max, allowance.ratePerMinute * BYTES_PER_EMAIL) };
}

/** How much memory one owner may use, as a share of what remains free. */
const SHARE_OF_FREE = 1 / 2;

/** The bytes that one request, or all requests of an owner, have in progress. */
type InProgress = {
  /** Bytes that are declared or taken, whichever is more. */
  expected: number;
  /** Bytes that take memory. */
  taken: number;
};

const NO_BYTES: InProgress = { expected: 0, taken: 0 };

/** Bytes of large bodies in progress, by owner: a workspace, or a client's address. */
type BytesInProgress = {
  /** @param own what the request already has in progress */
  assertRoom(owner: string, own: InProgress, more: InProgress): void;
  /** Changes the bytes of a request and of its owner. */
  add(owner: string, own: InProgress, more: InProgress): void;
  /** Removes all bytes of a request. */
  remove(owner: string, own: InProgress): void;
  /** Bytes that take memory. */
  used(): number;
};

function bytesInProgress(): BytesInProgress {
  const owners = new Map<string, InProgress>();
  const { bodiesOfWorkspace, bodiesOfProcess } = limits;
  let used = 0;

  function add(owner: string, own: InProgress, { expected, taken }: InProgress): void {
    const all = owners.get(owner) ?? { expected: 0, taken: 0 };
    for (const one of [own, all]) {
      one.expected += expected;
      one.taken += taken;
    }
    used += taken;
    if (all.expected > 0) owners.set(owner, all);
    else owners.delete(owner);
  }

  return {
    /** A body that is the only one in progress is never refused, so that every body can be read or sent. */
    assertRoom(owner, own, more) {
      const all = owners.get(owner) ?? NO_BYTES;
      if (all.expected > own.expected && all.expected + more.expected > bodiesOfWorkspace.max)
        throw refuse(bodiesOfWorkspace.max, 'at the same time');
      const free = bodiesOfProcess.max - used - more.taken;
      if (used > own.taken && all.taken + more.taken > free * SHARE_OF_FREE)
        throw refuse(bodiesOfProcess.max, 'for all clients');
    },
    add,
    remove: (owner, own) => add(owner, own, { expected: -own.expected, taken: -own.taken }),
    used: () => used,
  };
}

function refuse(max: number, whose: string): Refusal {
  return new Refusal('rate_limited', {
    limit: `${formatCount(max)} bytes of large bodies in progress ${whose}`,
    retryAfterSeconds: 1,
  });
}
