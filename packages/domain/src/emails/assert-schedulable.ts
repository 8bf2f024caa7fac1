import { DAY_MS } from '../durations.js';
import { invalid } from '../errors.js';
import { limits } from '../limits.js';

/** @throws Refusal validation_failed for a time in the past or too far ahead */
export function assertSchedulable(scheduledAt: Date, now: Date): void {
  const aheadMs = scheduledAt.getTime() - now.getTime();
  if (aheadMs < 0) {
    throw invalid({ field: 'scheduled_at', message: 'is in the past; choose a later time' });
  }
  if (aheadMs > limits.scheduleDays.max * DAY_MS) {
    const message = `is more than ${limits.scheduleDays.max} days ahead. Choose an earlier time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}
