import type { RecipientStatus } from '../emails/email-status.js';
import type { TemplateVars } from '../templates/template-variables.js';

/** An email in the hands of one worker: all it takes to send it, and the attempt that fences its writes. */
export type ClaimedEmail = {
  readonly id: string;
  readonly workspaceId: string;
  /** Number of this claim. A worker whose lease went to another finds a higher number and writes nothing. */
  readonly attempt: number;
  /** Attempts charged against RETRY_SCHEDULE so far. */
  readonly deferrals: number;
  /** Its last worker vanished while it held it: whether the message left is not known. */
  readonly reclaimed: boolean;
  /** Earlier attempts of which nobody knows the end. */
  readonly ambiguousAttempts: number;
  /** The sending domain that it comes from; null: the platform domain. */
  readonly domainId: string | null;
  /** As written in headers: `Name <local@domain>`. */
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** When it was to be sent: scheduled_at, else created_at. */
  readonly firstDueAt: Date;
  /** What has happened since to the sending domain it was accepted for; null: nothing, or there is none. */
  readonly senderLost: 'withdrawn' | 'deleted' | null;
  readonly recipients: readonly ClaimedRecipient[];
};

export type ClaimedRecipient = {
  readonly position: number;
  readonly address: string;
  readonly status: RecipientStatus;
};

/** Recipients that nobody has handed over yet: the envelope of this attempt. */
export function pendingRecipients(email: ClaimedEmail): ClaimedRecipient[] {
  return email.recipients.filter(({ status }) => status === 'queued' || status === 'deferred');
}
