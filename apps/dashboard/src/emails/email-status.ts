import type { Email, EmailStatus } from '@posthorn/contract';

type StatusDescription = {
  readonly label: string;
  readonly color: string;
  /** What the status means, in a sentence. */
  readonly description: string;
};

/** The statuses of emails and recipients, as in the API reference. */
const statuses: Readonly<Record<EmailStatus, StatusDescription>> = {
  scheduled: { label: 'Scheduled', color: 'violet', description: 'Waiting for its scheduled time.' },
  queued: { label: 'Queued', color: 'gray', description: 'Accepted and waiting to be sent.' },
  sending: { label: 'Sending', color: 'blue', description: 'Being handed to a mail server right now.' },
  sent: {
    label: 'Sent',
    color: 'green',
    description: 'The next mail server took responsibility for every recipient that did not bounce.',
  },
  deferred: {
    label: 'Deferred',
    color: 'orange',
    description:
      'Some recipients could not be reached. We will retry with increasing delays for up to 72 hours, and then give up. Recipients who already have the email will not get it again.',
  },
  bounced: {
    label: 'Bounced',
    color: 'red',
    description: 'Every recipient was permanently rejected. We will not retry.',
  },
  failed: {
    label: 'Failed',
    color: 'red',
    description: 'We could not send this email, or we gave up after retrying. See the timeline for the reason.',
  },
  expired: {
    label: 'Expired',
    color: 'red',
    description: 'This email expired before a mail server confirmed receiving it. We will make no further attempts.',
  },
  canceled: { label: 'Canceled', color: 'gray', description: 'Canceled before it was sent.' },
  suppressed: { label: 'Suppressed', color: 'gray', description: 'All remaining recipients are suppressed.' },
  delivered: { label: 'Delivered', color: 'green', description: "The recipient's mail server confirmed delivery." },
  complained: { label: 'Complained', color: 'red', description: 'A recipient marked it as spam.' },
};

export const statusOptions = Object.entries(statuses).map(([value, { label }]) => ({ value, label }));

export function describeStatus(status: EmailStatus): StatusDescription {
  return statuses[status];
}

export function isStatus(text: string): text is EmailStatus {
  return Object.hasOwn(statuses, text);
}

/** Whether the email can still be canceled or rescheduled. */
export function isChangeable(email: Email): boolean {
  return isWaiting(email.status) && !mayBeWithServer(email);
}

/** Whether a mail server may already have an email that will be sent again. */
export function mayBeWithServer({ status, attempts }: Email): boolean {
  return isWaiting(status) && attempts.some(({ outcome }) => outcome === 'ambiguous');
}

/** Whether the status can still change without user action. */
export function isInProgress(status: EmailStatus): boolean {
  return isWaiting(status) || status === 'sending';
}

function isWaiting(status: EmailStatus): boolean {
  return ['scheduled', 'queued', 'deferred'].includes(status);
}
