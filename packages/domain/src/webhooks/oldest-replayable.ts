import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';

/** Older events are neither replayed nor sent to a webhook that is enabled again. */
export function oldestReplayable({ now }: Pick<Context, 'now'>): Date {
  return new Date(now().getTime() - limits.webhookEventDays.max * DAY_MS);
}
