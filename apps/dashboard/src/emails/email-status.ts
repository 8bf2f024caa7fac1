import type { EmailStatus } from '@posthorn/contract';

type StatusDescription = {
  readonly label: string;
  readonly color: string;
  /** What it means for the email, in a sentence. */
  readonly description: string;
};

/** The states of an email and of its recipients, as the API's reference explains them. */
const statuses: Readonly<Record<EmailStatus, StatusDescription>> = {
  scheduled: { label: 'Scheduled', color: 'violet', description: 'It waits for its time.' },
  queued: { label: 'Queued', color: 'gray', description: 'It is accepted and waits to be sent.' },
  sending: { label: 'Sending', color: 'blue', description: 'It is being handed over right now.' },
  sent: {
    label: 'Sent',
    color: 'green',
    description: 'The next mail server took responsibility for every recipient that did not bounce.',
  },
  deferred: {
    label: 'Deferred',
    color: 'orange',
    description:
      'Somebody could not be reached yet. It is tried again by itself, after pauses that grow, for up to 72 hours; then it fails. Who has it already does not get it again.',
  },
  bounced: {
    label: 'Bounced',
    color: 'red',
    description: 'Every recipient was refused for good. It is not tried again.',
  },
  failed: {
    label: 'Failed',
    color: 'red',
    description: 'It was given up, or could not be sent. The timeline says why.',
  },
  canceled: { label: 'Canceled', color: 'gray', description: 'It was withdrawn before it was sent.' },
  suppressed: { label: 'Suppressed', color: 'gray', description: 'No recipient was left that may be written to.' },
  delivered: { label: 'Delivered', color: 'green', description: "The recipient's server confirmed it." },
  complained: { label: 'Complained', color: 'red', description: 'A recipient marked it as spam.' },
};

export const statusOptions = Object.entries(statuses).map(([value, { label }]) => ({ value, label }));

export function describeStatus(status: EmailStatus): StatusDescription {
  return statuses[status];
}

/** Whether it may still be canceled or given another time. */
export function isChangeable(status: EmailStatus): boolean {
  return ['scheduled', 'queued', 'deferred'].includes(status);
}

/** Whether it will change by itself. */
export function isInProgress(status: EmailStatus): boolean {
  return isChangeable(status) || status === 'sending';
}
