import type { EmailStatus } from '@posthorn/contract';

type Words = {
  readonly label: string;
  readonly color: string;
  /** What it means for the email, in a sentence. */
  readonly meaning: string;
};

/** The states of an email and of its recipients, as the API's reference explains them. */
const words: Readonly<Record<EmailStatus, Words>> = {
  scheduled: { label: 'Scheduled', color: 'violet', meaning: 'It waits for its time.' },
  queued: { label: 'Queued', color: 'gray', meaning: 'It is accepted and waits to be sent.' },
  sending: { label: 'Sending', color: 'blue', meaning: 'It is being handed over right now.' },
  sent: {
    label: 'Sent',
    color: 'green',
    meaning: 'The next mail server took responsibility for every recipient that did not bounce.',
  },
  deferred: {
    label: 'Deferred',
    color: 'orange',
    meaning:
      'Somebody could not be reached yet. It is tried again by itself, after pauses that grow, for up to 72 hours; then it fails. Who has it already does not get it again.',
  },
  bounced: { label: 'Bounced', color: 'red', meaning: 'Every recipient was refused for good. It is not tried again.' },
  failed: {
    label: 'Failed',
    color: 'red',
    meaning: 'It was given up, or could not be sent. The timeline says why.',
  },
  canceled: { label: 'Canceled', color: 'gray', meaning: 'It was withdrawn before it was sent.' },
  suppressed: { label: 'Suppressed', color: 'gray', meaning: 'No recipient was left that may be written to.' },
  delivered: { label: 'Delivered', color: 'green', meaning: "The recipient's server confirmed it." },
  complained: { label: 'Complained', color: 'red', meaning: 'A recipient marked it as spam.' },
};

export const statusChoices = Object.entries(words).map(([value, { label }]) => ({ value, label }));

export function wordsOf(status: EmailStatus): Words {
  return words[status];
}

/** Whether it may still be canceled or given another time. */
export function isChangeable(status: EmailStatus): boolean {
  return ['scheduled', 'queued', 'deferred'].includes(status);
}

/** Whether it will change by itself. */
export function isUnderWay(status: EmailStatus): boolean {
  return isChangeable(status) || status === 'sending';
}
