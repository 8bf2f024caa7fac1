import { type Caller, countingWindows, formatCount, limits, Refusal, secondsUntil } from '@posthorn/domain';
import type { Response } from 'express';
import { clientAddressOf } from '../client-address.js';

/** Bodies up to this size are not counted. Their number is bounded by the rate limits. */
export const MAX_SMALL_BODY_BYTES = limits.smallBody.max;

const MINUTE_MS = 60_000;
/** A workspace that may send more emails may also send more bytes. */
const BYTES_PER_EMAIL = 1_000_000;

export type ByteBudget = {
  /**
   * Reserves bytes for a large body: for a minute, and until its response is finished or its connection is lost.
   * @param response its `locals.caller` is set
   * @throws Refusal rate_limited if the bodies of the workspace or of the process would exceed a limit
   */
  reserve(response: Response, bytes: number): void;
  /**
   * Call it before work that may need a large body. @throws Refusal rate_limited if the bytes of this minute are used
   * up
   */
  assertBytesLeft(response: Response): void;
  /** Bytes of bodies in progress. */
  used(): number;
  /** The bytes of one request and its response, including those that were refused. */
  requestedBytes(response: Response): number;
};

/**
 * Bounds the memory and the time that large bodies take. A hundred of them at the same time would take a gigabyte, and
 * each megabyte takes milliseconds to read, encode and write.
 */
export function byteBudget(): ByteBudget {
  const usedByOwner = new Map<string, number>();
  const reservedBy = new WeakMap<Response, number>();
  const requestedBy = new WeakMap<Response, number>();
  const minutes = countingWindows(MINUTE_MS);
  let used = 0;

  function add(owner: string, bytes: number): void {
    const own = (usedByOwner.get(owner) ?? 0) + bytes;
    if (own > 0) usedByOwner.set(owner, own);
    else usedByOwner.delete(owner);
    used += bytes;
  }

  function assertBytesLeft(response: Response): void {
    const { owner, maxPerMinute } = ownerOf(response);
    const { count, endsAt } = minutes.windowFor(owner);
    if (count >= maxPerMinute && !reservedBy.has(response))
      throw refuse(`${formatCount(maxPerMinute)} bytes of large bodies per minute`, secondsUntil(endsAt));
  }

  return {
    assertBytesLeft,
    reserve(response, bytes) {
      requestedBy.set(response, (requestedBy.get(response) ?? 0) + bytes);
      if (response.closed || response.req.socket.destroyed) return;
      assertBytesLeft(response);
      const { owner } = ownerOf(response);
      const own = reservedBy.get(response) ?? 0;
      const { bodiesOfWorkspace, bodiesOfProcess } = limits;
      assertRoom(
        { used: usedByOwner.get(owner) ?? 0, own, bytes },
        bodiesOfWorkspace.max,
        'in progress at the same time',
      );
      assertRoom({ used, own, bytes }, bodiesOfProcess.max, 'in progress for all clients');
      minutes.windowFor(owner).count += bytes;
      if (!reservedBy.has(response)) releaseWhenClosed(response, () => add(owner, -(reservedBy.get(response) ?? 0)));
      reservedBy.set(response, own + bytes);
      add(owner, bytes);
    },
    used: () => used,
    requestedBytes: (response) => requestedBy.get(response) ?? 0,
  };
}

/** A response that waits behind others on its connection is never closed itself if the connection is lost. */
function releaseWhenClosed(response: Response, release: () => void): void {
  const { socket } = response.req;
  let isReleased = false;
  const releaseOnce = () => {
    response.off('close', releaseOnce);
    socket.off('close', releaseOnce);
    // Both events can happen in the same moment.
    if (!isReleased) release();
    isReleased = true;
  };
  response.once('close', releaseOnce);
  socket.once('close', releaseOnce);
}

type Sizes = { readonly used: number; readonly own: number; readonly bytes: number };

/**
 * One body alone is never too large, so that every body can be read or sent.
 * @param sizes what is used in total, what of it is used by the same request, and what that request needs in addition
 */
function assertRoom({ used, own, bytes }: Sizes, max: number, what: string): void {
  if (used > own && used + bytes > max) throw refuse(`${formatCount(max)} bytes of large bodies ${what}`, 1);
}

function refuse(limit: string, retryAfterSeconds: number): Refusal {
  return new Refusal('rate_limited', { limit, retryAfterSeconds });
}

/** The workspace, or the client's IP address where there is none. */
function ownerOf({ req, locals }: Response): { owner: string; maxPerMinute: number } {
  const { max } = limits.bodiesPerMinute;
  const caller = locals.caller as Caller | null;
  if (caller === null) return { owner: clientAddressOf(req), maxPerMinute: max };
  const { id, allowance } = caller.workspace;
  return { owner: id, maxPerMinute: Math.max(max, allowance.ratePerMinute * BYTES_PER_EMAIL) };
}
