import type { ClaimedEmail } from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import { addJitter, HOUR_MS } from '@posthorn/platform/values';

/**
 * The pause before a retry is up to a fifth shorter or longer than scheduled, so that emails that failed together are
 * not retried together.
 */
const JITTER = 0.2;

/**
 * @param schedule RETRY_SCHEDULE: the pause after each charged attempt, in seconds
 * @returns seconds until the next attempt; null when the schedule is used up, or when the email would be
 *   older than `limits.maxAgeHours` by then
 */
export function findNextAttempt(
  schedule: readonly number[],
  { deferrals, firstDueAt }: Pick<ClaimedEmail, 'deferrals' | 'firstDueAt'>,
): number | null {
  const pause = schedule[deferrals];
  if (pause === undefined) return null;
  const seconds = addJitter(pause, JITTER);
  return isTooOld({ firstDueAt }, seconds) ? null : seconds;
}

/** Whether the expires_at of the email has passed, after which it is never sent. */
export function isExpired({ expiresAt }: Pick<ClaimedEmail, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** Whether the email will be older than `limits.maxAgeHours` in `inSeconds` seconds. */
export function isTooOld({ firstDueAt }: Pick<ClaimedEmail, 'firstDueAt'>, inSeconds = 0): boolean {
  const ageMs = Date.now() + inSeconds * 1_000 - firstDueAt.getTime();
  return ageMs > limits.maxAgeHours.max * HOUR_MS;
}

/** If an email expires before its next attempt, it is claimed when it expires, so that it ends on time. */
export function shortenToExpiry({ expiresAt }: ClaimedEmail, retryInSeconds: number | null): number | null {
  if (expiresAt === null || retryInSeconds === null) return retryInSeconds;
  return Math.min(retryInSeconds, Math.max(0, (expiresAt.getTime() - Date.now()) / 1_000));
}
