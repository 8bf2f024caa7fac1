import type { Context } from '../context.js';
import { DAY_MS } from '../durations.js';
import { limits } from '../limits.js';

/** @returns when the oldest events were created that may be replayed, or sent to a webhook that is enabled again */
export function oldestSendable({ now }: Pick<Context, 'now'>): Date {
  return new Date(now().getTime() - limits.webhookEventDays.max * DAY_MS);
}
