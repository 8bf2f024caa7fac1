import type { ClaimedAttachment } from '../attachments/attachment.js';
import type { RecipientStatus } from '../emails/email-status.js';
import type { TemplateVars } from '../templates/template-variables.js';

/**
 * An email that one worker holds: everything needed to send it, and the attempt number that fences the worker's writes.
 */
export type ClaimedEmail = {
  readonly id: string;
  readonly workspaceId: string;
  /**
   * The number of this claim. A worker that lost its lease finds a higher number in the queue entry and writes nothing.
   */
  readonly attempt: number;
  /** Attempts charged against RETRY_SCHEDULE so far. */
  readonly deferrals: number;
  /**
   * Set if the previous worker stopped while it held the email: `unsent` if it had certainly not sent the whole message,
   * `ambiguous` if it may have sent it.
   */
  readonly reclaimed: 'unsent' | 'ambiguous' | null;
  /** If the email was reclaimed, how many of its attempts ended as `unsent`. */
  readonly unsentAttempts: number;
  /** Earlier attempts whose outcome is unknown. */
  readonly ambiguousAttempts: number;
  /** If the content is no longer stored, the email can never be sent. */
  readonly hasContent: boolean;
  /** The sending domain that the email comes from; null for the platform domain. */
  readonly domainId: string | null;
  /** As written in headers: `Name <local@domain>`. */
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  /** `html` and `text` are also null if the claim left them in Postgres; `contentBytes` is then positive. */
  readonly html: string | null;
  readonly text: string | null;
  /** Size of the stored html and text; 0 for an email from a template. */
  readonly contentBytes: number;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly attachments: readonly ClaimedAttachment[];
  /** Whether the worker must note in Postgres that it is about to send the end of the message. */
  readonly needsHandoffNote: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The X-Request-Id of the request that created the email; null for the service's own mail. */
  readonly requestId: string | null;
  readonly createdAt: Date;
  /** scheduled_at if the email has one, otherwise created_at. */
  readonly firstDueAt: Date;
  /** From this time on, the email must not be sent. */
  readonly expiresAt: Date | null;
  /**
   * What happened to the sending domain after the email was accepted; null if nothing did, or if the email comes from
   * the platform domain.
   */
  readonly senderLost: 'withdrawn' | 'deleted' | null;
  readonly recipients: readonly ClaimedRecipient[];
};

export type ClaimedRecipient = {
  readonly position: number;
  readonly address: string;
  readonly status: RecipientStatus;
};

/** The recipients whose status is not final yet. They form this attempt's envelope. */
export function pendingRecipients(email: ClaimedEmail): ClaimedRecipient[] {
  return email.recipients.filter(({ status }) => status === 'queued' || status === 'deferred');
}
