import type { EmailEventType } from '@posthorn/contract';

/** Timeline labels. The recipient is shown separately. */
const labels: Readonly<Record<EmailEventType, string>> = {
  accepted: 'Accepted',
  scheduled: 'Scheduled',
  sent: 'Handed to the next mail server',
  deferred: 'Deferred; we will retry',
  bounced: 'Permanently rejected',
  failed: 'Failed',
  expired: 'Expired',
  canceled: 'Canceled',
  suppressed: 'Not sent, because the address is suppressed',
  delivered: 'Delivery confirmed by the recipient’s mail server',
  complained: 'Marked as spam',
  opened: 'Opened',
  clicked: 'Link clicked',
  unsubscribed: 'Unsubscribed',
  ambiguous: 'Unknown whether the mail server accepted it',
  recovered: 'Resumed after a worker stopped',
};

export function eventLabel(type: EmailEventType): string {
  return labels[type];
}
