import { type EmailStatus, emailStatuses } from '../emails/email-status.js';
import type { LoggedEvent } from './event.js';

/**
 * What an event says, as JSON: the `data` of `GET /api/v1/events`, and of the body that a webhook posts. It names the
 * email and the recipient, but contains no part of the email's content.
 */
export function eventData({ streamId, type, recipient, detail, data, mode }: LoggedEvent): Record<string, unknown> {
  const [noun, what = ''] = type.split('.');
  if (noun === 'email') return { email_id: streamId, recipient, status: statusAfter(what, data), reason: detail, mode };
  if (noun === 'domain') return { ...data, status: what === 'key_rotated' ? null : what, reason: detail };
  return { ...data };
}

/** Most events are named after the status that they lead to. */
function statusAfter(what: string, data: LoggedEvent['data']): EmailStatus | null {
  if (what === 'accepted') return data?.status === 'scheduled' ? 'scheduled' : 'queued';
  return emailStatuses.find((status) => status === what) ?? null;
}
