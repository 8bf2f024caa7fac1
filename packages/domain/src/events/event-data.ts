import { type EmailEventType, emailEventsWithoutStatus } from '@posthorn/contract';
import type { LoggedEvent } from './event.js';

/**
 * What an event says, as JSON: the `data` of `GET /api/v1/events`, and of the body that a webhook posts. It names the
 * email and the recipient, but contains no part of the email's content, except for the URL of a link that was clicked.
 */
export function eventData({ streamId, type, recipient, detail, data, mode }: LoggedEvent): Record<string, unknown> {
  const [noun, what = ''] = type.split('.');
  if (noun === 'email') {
    const status = statusAfter(what as EmailEventType, data);
    const about = { email_id: streamId, recipient, status, reason: detail, mode };
    // The detail says the same in words, for people.
    return data && 'machine' in data ? { ...about, reason: null, ...data } : about;
  }
  if (noun === 'domain') return { ...data, status: what === 'key_rotated' ? null : what, reason: detail };
  return { ...data };
}

function statusAfter(what: EmailEventType, data: LoggedEvent['data']): string | null {
  if (what === 'accepted') return data?.status === 'scheduled' ? 'scheduled' : 'queued';
  // After a report of a delay, the recipient is still `sent`, so the event says that.
  if (typeof data?.status === 'string') return data.status;
  return emailEventsWithoutStatus.includes(what) ? null : what;
}
