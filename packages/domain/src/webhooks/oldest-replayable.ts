import type { Context } from '../context.js';
import { DAY_MS } from '../durations.js';
import { limits } from '../limits.js';

/** Older events are neither replayed nor sent to a webhook that is enabled again. */
export function oldestReplayable({ now }: Pick<Context, 'now'>): Date {
  return new Date(now().getTime() - limits.webhookEventDays.max * DAY_MS);
}
