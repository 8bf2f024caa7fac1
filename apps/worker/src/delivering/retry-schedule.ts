import type { ClaimedEmail } from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { addJitter, computePause, HOUR_MS } from '@posthorn/platform/values';

type Clock = Pick<Context, 'now'>;

/**
 * The pause before a retry is up to a fifth shorter or longer than scheduled, so that emails that failed together are
 * not retried together.
 */
const JITTER = 0.2;

/**
 * @returns seconds until the next attempt; null when RETRY_SCHEDULE is used up, or when the email would be older than
 *   `limits.maxAgeHours` by then
 */
export function findNextAttempt(
  ctx: Clock & Pick<Context, 'config'>,
  { deferrals, date }: Pick<ClaimedEmail, 'deferrals' | 'date'>,
): number | null {
  const pause = ctx.config.retryScheduleSeconds[deferrals];
  if (pause === undefined) return null;
  const seconds = addJitter(pause, JITTER);
  return isTooOld(ctx, { date }, seconds) ? null : seconds;
}

/** A relay that refuses us is asked again after five minutes at the latest. */
const MAX_PAUSE_AFTER_REFUSAL_SECONDS = 300;

/** The pauses while a relay says that we send too fast, in seconds. */
const TOO_FAST = { first: 2, max: MAX_PAUSE_AFTER_REFUSAL_SECONDS };

/**
 * @param attempt counts from 1
 * @param isTooFast whether the relay refused us because we send too fast
 * @returns seconds until a relay that refused us is tried again, by the steps of RETRY_SCHEDULE if it was not for that
 */
export function findPauseAfterRefusal(
  { config }: Pick<Context, 'config'>,
  { attempt }: Pick<ClaimedEmail, 'attempt'>,
  isTooFast: boolean,
): number {
  if (isTooFast) return computePause(attempt, TOO_FAST);
  const { retryScheduleSeconds: steps } = config;
  const step = steps[Math.min(attempt, steps.length) - 1] ?? MAX_PAUSE_AFTER_REFUSAL_SECONDS;
  return addJitter(Math.min(step, MAX_PAUSE_AFTER_REFUSAL_SECONDS), JITTER);
}

/** Whether the expires_at of the email has passed, after which it is never sent. */
export function isExpired({ now }: Clock, { expiresAt }: Pick<ClaimedEmail, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt <= now();
}

/** Whether the email will be older than `limits.maxAgeHours` in `inSeconds` seconds. */
export function isTooOld({ now }: Clock, { date }: Pick<ClaimedEmail, 'date'>, inSeconds = 0): boolean {
  const ageMs = now().getTime() + inSeconds * 1_000 - date.getTime();
  return ageMs > limits.maxAgeHours.max * HOUR_MS;
}

/** If an email expires before its next attempt, it is claimed when it expires, so that it ends on time. */
export function shortenToExpiry(
  { now }: Clock,
  { expiresAt }: ClaimedEmail,
  retryInSeconds: number | null,
): number | null {
  if (expiresAt === null || retryInSeconds === null) return retryInSeconds;
  return Math.min(retryInSeconds, Math.max(0, (expiresAt.getTime() - now().getTime()) / 1_000));
}
