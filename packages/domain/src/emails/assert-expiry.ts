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
    const message = 'is not after the time at which the email is to be sent. Choose a later time';
    throw invalid({ field: 'expires_at', message });
  }
  if (hours > limits.expiryHours.max) {
    const message = `is more than ${limits.expiryHours.max} hours after the time at which the email is to be sent. Choose an earlier time`;
    throw invalid({ field: 'expires_at', message });
  }
}
