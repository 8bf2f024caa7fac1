// The allowed moves between the statuses of an email and of each of its recipients.
import { type EmailStatus, handedOverStatuses, type RecipientStatus } from '@posthorn/contract';

/**
 * What a report from another server can say about a recipient. `failed`: a relay's provider took the message, and then did
 * not try to deliver it.
 */
const reported = ['delivered', 'bounced', 'complained', 'failed'] as const;

const moves: Record<EmailStatus, readonly EmailStatus[]> = {
  scheduled: ['sending', 'scheduled', 'canceled', 'sent', ...reported],
  queued: ['sending', 'scheduled', 'canceled', 'suppressed', ...reported],
  sending: ['sending', 'sent', 'deferred', 'bounced', 'failed', 'expired', 'suppressed', 'delivered', 'complained'],
  // It fails if its only recipient is erased after an attempt of unknown end.
  deferred: ['sending', 'scheduled', 'canceled', 'sent', 'expired', ...reported],
  // It expires if the only recipient that got it bounces, and others have expired.
  sent: [...reported, 'expired'],
  // It bounces if the server of the recipient refuses it after it took it, and the relay's provider says so.
  delivered: ['complained', 'bounced'],
  bounced: [],
  failed: [],
  expired: [],
  canceled: [],
  suppressed: [],
  complained: [],
};

/** @throws Error for a move that is not allowed, which indicates a bug in a flow */
export function assertMove(from: EmailStatus, to: EmailStatus): void {
  if (!moves[from].includes(to)) throw new Error(`An email cannot go from ${from} to ${to}`);
}

/**
 * What a report can change about a recipient. A report may arrive before our own result: after an attempt of unknown end,
 * or if the database was restored from a backup. A later status is never overwritten.
 */
const reportedMoves: { readonly [Status in RecipientStatus]?: ReadonlyArray<(typeof reported)[number]> } = {
  queued: reported,
  deferred: reported,
  sent: reported,
  delivered: ['complained'],
};

/** Whether a report moves a recipient from one status to the other. */
export function isReportable(from: RecipientStatus, to: (typeof reported)[number]): boolean {
  return reportedMoves[from]?.includes(to) ?? false;
}

/**
 * The status of an email after its waiting recipients were canceled: `sent` if any recipient got it, otherwise
 * `canceled`, even if other recipients bounced.
 */
export function deriveCanceledStatus(recipients: readonly RecipientStatus[]): 'sent' | 'canceled' {
  const handedOver: readonly RecipientStatus[] = handedOverStatuses;
  return recipients.some((status) => handedOver.includes(status)) ? 'sent' : 'canceled';
}

/**
 * The status of an email after an attempt. While a recipient is still waiting, the email stays deferred even if
 * others have received it. After that, the best recipient result determines the status.
 */
export function deriveEmailStatus(recipients: readonly RecipientStatus[]): EmailStatus {
  const order: RecipientStatus[] = [
    'queued',
    'deferred',
    'complained',
    'delivered',
    'sent',
    'failed',
    'expired',
    'bounced',
    'suppressed',
    'canceled',
  ];
  const status = order.find((candidate) => recipients.includes(candidate));
  if (status === undefined) throw new Error('An email has at least one recipient');
  return status;
}
