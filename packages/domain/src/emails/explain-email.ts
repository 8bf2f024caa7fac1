import type { RecipientStatus } from '@posthorn/contract';
import { formatCountOf } from '@posthorn/platform/values';
import type { DeliveryAttempt } from './email-history-store.js';
import type { EmailDetail, RecipientState } from './email-store.js';
import { explainWaitsFor } from './waits-for.js';

type Explained = Pick<
  EmailDetail,
  'status' | 'scheduledAt' | 'nextAttemptAt' | 'isParked' | 'waitsFor' | 'expiresAt'
> & {
  readonly recipients: ReadonlyArray<Pick<RecipientState, 'status' | 'smtpResponse'>>;
  readonly attempts: ReadonlyArray<
    Pick<DeliveryAttempt, 'attempt' | 'route' | 'phase' | 'outcome' | 'conversation' | 'endedAt'>
  >;
  readonly events: ReadonlyArray<Pick<EmailDetail['events'][number], 'type' | 'detail'>>;
};

const MAX_CHARACTERS = 400;
/** Leaves room for the rest of the sentence. */
const MAX_REPLY_CHARACTERS = 200;

/**
 * Says in one line where an email is, why, and what happens when, in at most 400 characters. The reply of a mail server
 * may quote the message.
 */
export function explainEmail(email: Explained, now: Date): string {
  const text = `${explainStatus(email, now)}${describeMix(email)}`.replace(/\s+/g, ' ');
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
}

const PARKED =
  'Waiting for the operator: the service was restored from a backup, and this email may have been sent before.';

function explainStatus(email: Explained, now: Date): string {
  if (email.isParked) return PARKED;
  if (email.waitsFor !== null && email.status !== 'sending')
    return explainWaitsFor(email.waitsFor, formatTime(findTomorrow(now), now));
  const last = email.attempts.at(-1);
  switch (email.status) {
    case 'scheduled':
      return `Scheduled for ${formatTime(email.scheduledAt, now)}. Until then, it can be canceled or rescheduled.`;
    case 'queued':
      return 'Accepted, and waiting for a worker, which sends it next.';
    case 'sending':
      return `A worker is sending it now, in attempt ${last?.attempt ?? 1}.`;
    case 'deferred':
      return explainWait(email, now);
    case 'sent':
      return explainSent(last, now);
    case 'delivered':
      return "Delivered: the recipient's mail server has confirmed it.";
    case 'complained':
      return 'Delivered, and then reported as spam by a recipient.';
    case 'bounced':
      return `Refused for good: ${findReply(email, 'bounced')}. It will not be tried again.`;
    case 'failed':
      return `Not sent: ${findReply(email, 'failed')}. It will not be tried again.`;
    case 'expired':
      return `Not sent, because it expired at ${formatTime(email.expiresAt, now)}.`;
    case 'canceled':
      return 'Canceled before it was sent.';
    case 'suppressed':
      return 'Not sent, because every recipient is suppressed.';
  }
}

function explainWait({ nextAttemptAt, recipients, attempts }: Explained, now: Date): string {
  const last = attempts.at(-1);
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now;
  const until =
    nextAttemptAt === null || isDue ? 'Waiting for a worker' : `Waiting until ${formatTime(nextAttemptAt, now)}`;
  const why = last === undefined ? 'the last attempt did not end' : explainAttempt(last, recipients);
  return `${until}: ${why}. ${formatCountOf(last?.attempt ?? 0, 'attempt')} so far.`;
}

function explainAttempt(
  { route, phase, outcome, conversation }: Explained['attempts'][number],
  recipients: Explained['recipients'],
): string {
  if (phase === 'render') return 'its template, an attachment or a signing key could not be read';
  if (route === null)
    return phase === 'connect' ? 'no mail server can be used at the moment' : 'the last attempt was interrupted';
  const reply = conversation.findLast((line) => line.startsWith('S: '))?.slice('S: '.length);
  const given = recipients.find(({ status }) => status === 'deferred')?.smtpResponse;
  const server = findServer(conversation) ?? route;
  if (phase === 'connect') return explainNoSession({ server, outcome, given, reply });
  return given || reply ? `${server} answered ${toWords(given || reply || '')}` : `${server} did not answer`;
}

type NoSession = {
  readonly server: string;
  readonly given: string | null | undefined;
  readonly reply: string | undefined;
};

function explainNoSession({
  server,
  outcome,
  given,
  reply,
}: NoSession & Pick<Explained['attempts'][number], 'outcome'>): string {
  // No server of the recipient could be asked, or it took no session, which is not the relay's fault.
  if (outcome !== 'route_fault' && given)
    return /^[45]\d\d[ -]/.test(given) ? `${server} answered ${toWords(given)}` : toWords(given);
  return `${server} could not be used${reply === undefined ? ', the connection failed' : `: ${toWords(reply)}`}`;
}

/** The server of several that answered last: `-- mx.example.net [192.0.2.1]`, before its replies. */
function findServer(conversation: readonly string[]): string | undefined {
  const answeredAt = conversation.findLastIndex((line) => line.startsWith('S: '));
  return conversation
    .slice(0, answeredAt + 1)
    .findLast((line) => line.startsWith('-- '))
    ?.slice('-- '.length)
    .replace(/ \[.*$/, '');
}

/** The route of an attempt whose message was not sent to a server. */
export const localRoutes = { testMode: 'test mode', simulator: 'simulator' } as const;

const KEPT_HERE: ReadonlyArray<string | null | undefined> = Object.values(localRoutes);

function explainSent(last: Explained['attempts'][number] | undefined, now: Date): string {
  if (KEPT_HERE.includes(last?.route)) return `It counts as sent, but stayed here (${last?.route}).`;
  const at = last?.endedAt ? ` at ${formatTime(last.endedAt, now)}` : '';
  return `${last?.route ?? 'A mail server'} took it${at} and is now responsible for it.`;
}

function findReply({ recipients, events }: Explained, status: RecipientStatus): string {
  const reply = recipients.find((recipient) => recipient.status === status)?.smtpResponse;
  return toWords(reply ?? events.findLast(({ detail }) => detail !== null)?.detail ?? 'no reason is known');
}

function findTomorrow(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}

/** Without a full stop at the end, because the sentence goes on. */
function toWords(reply: string): string {
  const words = reply
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.\s]+$/, '');
  return words.length <= MAX_REPLY_CHARACTERS ? words : `${words.slice(0, MAX_REPLY_CHARACTERS - 3)}...`;
}

/** For an email whose recipients ended differently, such as ` Recipients: 2 sent, 1 bounced.` */
function describeMix({ recipients }: Explained): string {
  const counts = new Map<RecipientStatus, number>();
  for (const { status } of recipients) counts.set(status, (counts.get(status) ?? 0) + 1);
  if (counts.size < 2) return '';
  return ` Recipients: ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}.`;
}

/** `14:05 UTC`, with the date if it is not today. */
function formatTime(time: Date | null, now: Date): string {
  if (time === null) return 'an unknown time';
  const [date, clock = ''] = time.toISOString().split('T');
  const minutes = `${clock.slice(0, 5)} UTC`;
  return now.toISOString().startsWith(`${date}T`) ? minutes : `${date} ${minutes}`;
}
