import { HOUR_MS } from '../durations.js';
import { invalid } from '../errors.js';
import { limits } from '../limits.js';

/**
 * @param dueAt when the email is first due: its scheduled_at, or now
 * @throws Refusal validation_failed for an expiry that is not after `dueAt`, or too long after it
 */
export function assertExpiry(expiresAt: Date, dueAt: Date): void {
  const hours = (expiresAt.getTime() - dueAt.getTime()) / HOUR_MS;
  if (hours <= 0) {
    const message = 'must be after the email is due to be sent. Choose a later time';
    throw invalid({ field: 'expires_at', message });
  }
  if (hours > limits.expiryHours.max) {
    const message = `must be at most ${limits.expiryHours.max} hours after the email is due to be sent. Choose an earlier time`;
    throw invalid({ field: 'expires_at', message });
  }
}
