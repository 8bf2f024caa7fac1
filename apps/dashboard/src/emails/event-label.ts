import type { EmailEventType } from '@posthorn/contract';

/** What an event of the timeline says, without its recipient. */
const labels: Readonly<Record<EmailEventType, string>> = {
  queued: 'Accepted, and queued for sending',
  scheduled: 'Accepted, to be sent later',
  rescheduled: 'Given another time',
  sent: 'Handed over to the next mail server',
  deferred: 'Not taken yet; it is tried again',
  bounced: 'Refused for good',
  failed: 'Given up',
  canceled: 'Canceled',
  suppressed: 'Left out: this address may not be written to',
  delivered: 'Confirmed by the recipient’s server',
  complained: 'Marked as spam',
  ambiguous: 'Nobody can know whether the mail server took it',
  recovered: 'Taken up again after a worker stopped',
};

export function eventLabel(type: EmailEventType): string {
  return labels[type];
}
