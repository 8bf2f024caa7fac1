import type { EmailEventType } from '@posthorn/contract';

/** Timeline labels. The recipient is shown separately. */
const labels: Readonly<Record<EmailEventType, string>> = {
  queued: 'Accepted and queued for sending',
  scheduled: 'Accepted and scheduled',
  rescheduled: 'Rescheduled',
  sent: 'Handed to the next mail server',
  deferred: 'Deferred; we will retry',
  bounced: 'Permanently rejected',
  failed: 'Failed',
  expired: 'Expired',
  canceled: 'Canceled',
  suppressed: 'Not sent, because the address is suppressed',
  delivered: 'Delivery confirmed by the recipient’s mail server',
  complained: 'Marked as spam',
  ambiguous: 'Unknown whether the mail server accepted it',
  recovered: 'Resumed after a worker stopped',
};

export function eventLabel(type: EmailEventType): string {
  return labels[type];
}
