import type { RateLimitState } from '@posthorn/domain/errors';
import { countSecondsUntil } from '@posthorn/domain/throttles';
import { type AdmissionRequest, buildSettingText } from './admission-request.js';

/**
 * How long a process may use what it reserved. Until then, the emails count against the rate limit even if nobody sends
 * them.
 */
const RESERVED_FOR_MS = 500;

/** Fewer requests that arrive together do not gain from a reserve. */
const MIN_EMAILS_TOGETHER = 4;
/** How many emails are reserved for each one of a call. */
const EMAILS_PER_EMAIL = 10;
const MAX_EMAILS = 500;

/** Emails that were counted against the rate limit of one caller before anybody sent them. */
type Reserve = {
  emails: number;
  remaining: number;
  readonly limit: number;
  readonly resetsAt: number;
  readonly second: number;
  readonly until: number;
  readonly giveBack: NodeJS.Timeout;
};

/** What a call to Redis does about the reserve of a caller, besides its requests. */
export type ReserveInput = {
  /** How many emails to reserve, if the rate limit and the caps have plenty of room. */
  readonly wanted: number;
  /** What was reserved earlier and not used: the second in which it was counted, and how many emails. */
  readonly unused: readonly [second: number, emails: number];
};

/** What Redis has reserved. `remaining` is what the caller has left of the limit, with these emails. */
export type Reserved = RateLimitState & {
  readonly emails: number;
  /** The second on Redis' clock in which they were counted. */
  readonly second: number;
};

export type Reserves = {
  /** Admits a request without asking Redis. @returns null if there is nothing reserved for it */
  take(request: AdmissionRequest): RateLimitState | null;
  /** Ends the reserve of the caller, because a call to Redis is about to be made. @param emails the emails of the call */
  endForCall(request: AdmissionRequest, emails: number): ReserveInput;
  keep(request: AdmissionRequest, reserved: Reserved): void;
};

/**
 * Lets a process admit requests without a round trip to Redis. When several requests of a caller arrive together, the
 * call to Redis also counts emails that will arrive soon. They are counted before they are sent and never after, so all
 * processes together admit no more than the limit. What is not used is given back within half a second. Only a limit
 * with plenty of room left is reserved from, so that no process is refused what another one holds.
 * @param giveBack makes a call without emails for this caller
 */
export function createReserves(giveBack: (request: AdmissionRequest) => void): Reserves {
  const reserves = new Map<string, Reserve>();

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
    endForCall(request, emails) {
      const text = buildSettingText(request);
      const reserve = reserves.get(text);
      reserves.delete(text);
      clearTimeout(reserve?.giveBack);
      const wanted = emails < MIN_EMAILS_TOGETHER ? 0 : Math.min(emails * EMAILS_PER_EMAIL, MAX_EMAILS);
      return { wanted, unused: [reserve?.second ?? 0, reserve?.emails ?? 0] };
    },
    keep(request, { emails, second, limit, remaining, resetSeconds }) {
      const noEmails = { ...request, emails: 0, sends: 0, idempotencyKey: null };
      reserves.set(buildSettingText(request), {
        emails,
        remaining,
        limit,
        resetsAt: Date.now() + resetSeconds * 1_000,
        second,
        until: performance.now() + RESERVED_FOR_MS,
        giveBack: setTimeout(() => giveBack(noEmails), RESERVED_FOR_MS).unref(),
      });
    },
  };
}
