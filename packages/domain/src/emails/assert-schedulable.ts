import { invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { DAY_MS } from '@posthorn/platform/values';

/**
 * @param acceptedAt the limit counts from this time, so that an email cannot be rescheduled to a time after its rows
 *   are deleted
 * @throws Refusal validation_failed for a time in the past or too far ahead
 */
export function assertSchedulable(scheduledAt: Date, now: Date, acceptedAt = now): void {
  if (scheduledAt < now) {
    throw invalid({ field: 'scheduled_at', message: 'is in the past; choose a later time' });
  }
  if (scheduledAt.getTime() - acceptedAt.getTime() > limits.scheduleDays.max * DAY_MS) {
    const tooFar = acceptedAt < now ? `after ${acceptedAt.toISOString()}, when the email was accepted` : 'ahead';
    const message = `is more than ${limits.scheduleDays.max} days ${tooFar}. Choose an earlier time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}
