import type { Email, EmailStatus } from '@posthorn/contract';
import { toLabel } from '../ui/format';

/** The colors of the statuses of emails and recipients. */
const colors: Readonly<Record<EmailStatus, string>> = {
  scheduled: 'violet',
  queued: 'gray',
  sending: 'blue',
  sent: 'green',
  deferred: 'orange',
  bounced: 'red',
  failed: 'red',
  expired: 'red',
  canceled: 'gray',
  suppressed: 'gray',
  delivered: 'green',
  complained: 'red',
};

export function describeStatus(status: EmailStatus): { readonly label: string; readonly color: string } {
  return { label: toLabel(status), color: colors[status] };
}

export function isStatus(text: string): text is EmailStatus {
  return Object.hasOwn(colors, text);
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
