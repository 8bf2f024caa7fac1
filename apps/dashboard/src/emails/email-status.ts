import type { Email, EmailStatus } from '@posthorn/contract';
import { toLabel } from '../ui/format';

type StatusDescription = {
  readonly color: string;
  readonly description: string;
};

/** The statuses of emails and recipients, as in the API reference. */
const statuses: Readonly<Record<EmailStatus, StatusDescription>> = {
  scheduled: { color: 'violet', description: 'Waiting for its scheduled time.' },
  queued: { color: 'gray', description: 'Accepted and waiting to be sent.' },
  sending: { color: 'blue', description: 'Being handed to a mail server right now.' },
  sent: {
    color: 'green',
    description: 'The next mail server took responsibility for every recipient that did not bounce.',
  },
  deferred: {
    color: 'orange',
    description:
      'Some recipients could not be reached. We will retry with increasing delays for up to 72 hours, and then give up. Recipients who already have the email will not get it again.',
  },
  bounced: {
    color: 'red',
    description: 'Every recipient was permanently rejected. We will not retry.',
  },
  failed: {
    color: 'red',
    description: 'We could not send this email, or we gave up after retrying. See the timeline for the reason.',
  },
  expired: {
    color: 'red',
    description: 'This email expired before a mail server confirmed receiving it. We will make no further attempts.',
  },
  canceled: { color: 'gray', description: 'Canceled before it was sent.' },
  suppressed: { color: 'gray', description: 'All remaining recipients are suppressed.' },
  delivered: { color: 'green', description: "The recipient's mail server confirmed delivery." },
  complained: { color: 'red', description: 'A recipient marked it as spam.' },
};

export function describeStatus(status: EmailStatus): StatusDescription & { readonly label: string } {
  return { ...statuses[status], label: toLabel(status) };
}

export function isStatus(text: string): text is EmailStatus {
  return Object.hasOwn(statuses, text);
}

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
