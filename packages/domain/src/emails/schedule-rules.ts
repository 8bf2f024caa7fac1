import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { DAY_MS, HOUR_MS } from '@posthorn/platform/values';

/** How far in the past a time may be. A client's clock may be slow, and a request takes time. */
const GRACE_MS = 60_000;

/**
 * @param acceptedAt the limit counts from this time, so that an email cannot be rescheduled to a time after its rows
 *   are deleted
 * @throws Refusal validation_failed for a time over a minute in the past or too far ahead
 */
export function assertSchedulable(scheduledAt: Date, now: Date, acceptedAt = now): void {
  if (scheduledAt.getTime() < now.getTime() - GRACE_MS) {
    throw invalid({ field: 'scheduled_at', message: 'is more than 1 minute in the past. Choose a later time' });
  }
  if (scheduledAt.getTime() - acceptedAt.getTime() > limits.scheduleDays.max * DAY_MS) {
    const tooFar = acceptedAt < now ? `after ${acceptedAt.toISOString()}, when the email was accepted` : 'ahead';
    const message = `is more than ${limits.scheduleDays.max} days ${tooFar}. Choose an earlier time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}

const { max: MAX_HOURS } = limits.expiryHours;

/**
 * @param dueAt when the email is first due: its scheduled_at, or now
 * @throws Refusal validation_failed for an expiry that is not after `dueAt` or is too long after it
 */
export function assertExpiry(expiresAt: Date, dueAt: Date): void {
  const hours = hoursBetween(dueAt, expiresAt);
  if (hours <= 0) {
    const message = 'must be after the email is due to be sent. Choose a later time';
    throw invalid({ field: 'expires_at', message });
  }
  if (hours > MAX_HOURS) {
    const message = `must be at most ${MAX_HOURS} hours after the email is due to be sent. Choose an earlier time`;
    throw invalid({ field: 'expires_at', message });
  }
}

/**
 * Applies the same rule to a new scheduled_at of an email that keeps its expires_at.
 * @throws Refusal validation_failed for a time that is not before `expiresAt` or is too long before it
 */
export function assertScheduledBeforeExpiry(scheduledAt: Date, expiresAt: Date): void {
  const hours = hoursBetween(scheduledAt, expiresAt);
  const expiry = `expires_at, which is ${expiresAt.toISOString()}`;
  if (hours <= 0) {
    throw invalid({ field: 'scheduled_at', message: `must be before ${expiry}. Choose an earlier time` });
  }
  if (hours > MAX_HOURS) {
    const message = `must be at most ${MAX_HOURS} hours before ${expiry}. Choose a later time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}

function hoursBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / HOUR_MS;
}
