import type { RateLimitState } from '@posthorn/domain/errors';
import { countSecondsUntil } from '@posthorn/domain/throttles';
import { type AdmissionRequest, buildSettingText } from './admission-request.js';

/** A process may use its reserve for this long. Reserved emails count against the rate limit even if nobody sends them. */
const RESERVED_FOR_MS = 500;

/** Fewer requests that arrive together do not gain from a reserve. */
const MIN_REQUESTS = 4;
/** How many emails are reserved for each one of a call. */
const RESERVED_PER_EMAIL = 10;
const MAX_RESERVED = 500;

/** Emails that were counted against the rate limit of one caller before anybody sent them. */
type Reserve = {
  emails: number;
  remaining: number;
  readonly limit: number;
  readonly resetsAt: number;
  readonly countedInSecond: number;
  readonly until: number;
  readonly end: NodeJS.Timeout;
};

/** What the script gives back and reserves for one setting. */
export type ReserveInput = {
  /** How many emails to reserve, if the rate limit and the caps have room. */
  readonly wanted: number;
  /** What was reserved earlier and not used: the second in which it was counted, and how many emails. */
  readonly unused: readonly [second: number, emails: number];
};

/** What Redis has reserved. `remaining` is what the caller has left of the limit, including these emails. */
export type Reserved = RateLimitState & {
  readonly emails: number;
  /** The second on Redis' clock in which they were counted. */
  readonly second: number;
};

/** Every `text` is the `buildSettingText` of a request. */
export type Reserves = {
  /** Admits a request without asking Redis. @returns null if there is nothing reserved for it */
  take(request: AdmissionRequest): RateLimitState | null;
  /**
   * Ends the reserve, because a call to Redis is about to be made.
   * @param served what the call is about and a reserve could have served: requests without an idempotency key
   */
  endForCall(text: string, served: { readonly requests: number; readonly emails: number }): ReserveInput;
  keep(text: string, request: AdmissionRequest, reserved: Reserved): void;
};

/**
 * Lets a process admit requests without a round trip to Redis. When several requests of a caller arrive together, the
 * call to Redis also counts emails that will arrive soon. They are counted before they are sent and never after, so all
 * processes together admit no more than the limit. What is not used is given back with the next call, or when the reserve
 * ends. A reserve takes a twentieth of what is left at most, so it rarely costs another process a refusal.
 *
 * Redis does not count these emails against the caps. It reads the counters again within a minute, and Postgres decides.
 * @param giveBack makes a call without emails for this caller
 */
export function createReserves(giveBack: (request: AdmissionRequest) => void): Reserves {
  const reserves = new Map<string, Reserve>();

  function end(text: string, request: AdmissionRequest): void {
    if (reserves.get(text)?.emails === 0) reserves.delete(text);
    else giveBack({ ...request, emails: 0, sends: 0, idempotencyKey: null });
  }

  return {
    take(request) {
      const { emails, idempotencyKey } = request;
      if (idempotencyKey !== null || reserves.size === 0) return null;
      const reserve = reserves.get(buildSettingText(request));
      if (!reserve || reserve.emails < emails || reserve.until < performance.now()) return null;
      reserve.emails -= emails;
      reserve.remaining -= emails;
      const { limit, remaining, resetsAt } = reserve;
      return { limit, remaining, resetSeconds: countSecondsUntil(resetsAt) };
    },
    endForCall(text, { requests, emails }) {
      const reserve = reserves.get(text);
      reserves.delete(text);
      clearTimeout(reserve?.end);
      const wanted = requests < MIN_REQUESTS ? 0 : Math.min(emails * RESERVED_PER_EMAIL, MAX_RESERVED);
      return { wanted, unused: [reserve?.countedInSecond ?? 0, reserve?.emails ?? 0] };
    },
    keep(text, request, { emails, second, limit, remaining, resetSeconds }) {
      reserves.set(text, {
        emails,
        remaining,
        limit,
        resetsAt: Date.now() + resetSeconds * 1_000,
        countedInSecond: second,
        until: performance.now() + RESERVED_FOR_MS,
        end: setTimeout(end, RESERVED_FOR_MS, text, request).unref(),
      });
    },
  };
}
