/**
 * The states of an email and of each of its recipients, with the moves that are allowed.
 * The email's state is derived from its recipients once an attempt has ended.
 */
export const emailStatuses = [
  /** Waits for scheduled_at. */
  'scheduled',
  /** Accepted, waits for a worker. */
  'queued',
  /** A worker holds its lease. */
  'sending',
  /** The next hop took responsibility for somebody, and nobody waits any more. */
  'sent',
  /** A next hop said "not now", or the link broke; tried again by RETRY_SCHEDULE. */
  'deferred',
  /** Every recipient was refused for good (5xx). */
  'bounced',
  /** We gave up, or it could not be sent; an event says why. */
  'failed',
  /** Withdrawn by the client; it was never handed over. */
  'canceled',
  /** Not used yet: no recipient was left that we may write to. */
  'suppressed',
  /** Not used yet: the recipient's server confirmed it. */
  'delivered',
  /** Not used yet: a recipient marked it as spam. */
  'complained',
] as const;

export type EmailStatus = (typeof emailStatuses)[number];

const moves: Record<EmailStatus, readonly EmailStatus[]> = {
  scheduled: ['sending', 'scheduled', 'canceled', 'sent'],
  queued: ['sending', 'scheduled', 'canceled', 'suppressed'],
  sending: ['sending', 'sent', 'deferred', 'bounced', 'failed', 'suppressed'],
  deferred: ['sending', 'scheduled', 'canceled', 'sent'],
  sent: ['delivered', 'bounced', 'complained'],
  delivered: ['complained'],
  bounced: [],
  failed: [],
  canceled: [],
  suppressed: [],
  complained: [],
};

/** States in which the client may still reschedule or cancel. */
export const changeableStatuses = ['scheduled', 'queued', 'deferred'] as const satisfies readonly EmailStatus[];

/** States in which somebody else's server has taken the email. */
export const handedOverStatuses = ['sent', 'delivered', 'complained'] as const satisfies readonly EmailStatus[];

/** @throws Error for a move that no flow may make: a programming fault, not a client's */
export function assertMove(from: EmailStatus, to: EmailStatus): void {
  if (!moves[from].includes(to)) throw new Error(`An email cannot go from ${from} to ${to}`);
}

export type RecipientStatus = Exclude<EmailStatus, 'scheduled' | 'sending'>;

/** What is told of an email: what became of it or of a recipient, and what happened to it meanwhile. */
export type EventType = RecipientStatus | 'scheduled' | 'rescheduled' | 'ambiguous' | 'recovered';

export type RecipientKind = 'to' | 'cc' | 'bcc';

/**
 * What an email is once it was withdrawn from whoever still waited: `sent` where somebody has it
 * already, otherwise `canceled`, for that is what the client did, also where others had bounced.
 */
export function deriveCanceledStatus(recipients: readonly RecipientStatus[]): 'sent' | 'canceled' {
  const handedOver: readonly RecipientStatus[] = handedOverStatuses;
  return recipients.some((status) => handedOver.includes(status)) ? 'sent' : 'canceled';
}

/**
 * What an email is once an attempt has ended: work left to do wins, then the best that happened
 * to anyone. A deferral of some recipients leaves the email deferred although others have it.
 */
export function deriveEmailStatus(recipients: readonly RecipientStatus[]): EmailStatus {
  const order: RecipientStatus[] = [
    'queued',
    'deferred',
    'complained',
    'delivered',
    'sent',
    'failed',
    'bounced',
    'suppressed',
    'canceled',
  ];
  const status = order.find((candidate) => recipients.includes(candidate));
  if (status === undefined) throw new Error('An email has at least one recipient');
  return status;
}
