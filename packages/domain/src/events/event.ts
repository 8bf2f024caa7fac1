import { type EmailEventType, type EventType, emailEventsWithoutStatus, type Mode } from '@posthorn/contract';

/** One entry of the event log. */
export type LoggedEvent = {
  readonly id: string;
  /** The id of the email for events of emails. Every other event is a stream of its own. */
  readonly streamId: string;
  /** Counts the events of a stream from 1. */
  readonly sequence: number;
  readonly type: EventType;
  readonly recipient: string | null;
  readonly detail: string | null;
  /** Facts that only some types have; null for most events of emails. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly mode: Mode;
  readonly createdAt: Date;
};

/**
 * What an event says, as JSON: the `data` of `GET /api/v1/events`, and of the body that a webhook posts. It names the
 * email and the recipient, but contains no part of the email's content, except for the URL of a link that was clicked.
 */
export function toEventData({ streamId, type, recipient, detail, data, mode }: LoggedEvent): Record<string, unknown> {
  const [noun, what = ''] = type.split('.');
  if (noun === 'email') {
    const status = toStatus(what as EmailEventType, data);
    const about = { email_id: streamId, recipient, status, reason: detail, mode };
    if (typeof data?.authenticated === 'boolean') return { ...about, authenticated: data.authenticated };
    // The detail says the same in words, for people.
    return data && 'machine' in data ? { ...about, reason: null, ...data } : about;
  }
  if (noun === 'domain') return { ...data, status: what === 'key_rotated' ? null : what, reason: detail };
  return { ...data };
}

function toStatus(what: EmailEventType, data: LoggedEvent['data']): string | null {
  if (what === 'accepted') return data?.status === 'scheduled' ? 'scheduled' : 'queued';
  // After a report of a delay, the recipient is still `sent`, so the event says that.
  if (typeof data?.status === 'string') return data.status;
  return emailEventsWithoutStatus.includes(what) ? null : what;
}
