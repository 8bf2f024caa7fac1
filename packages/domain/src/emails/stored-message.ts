import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import type { Tracking } from '@posthorn/domain/links';
import type { TemplateVars } from '@posthorn/domain/templates';
import type { EmailOrigin } from './email-log-fields.js';

/** What the message of an email is built from. */
export type StoredMessage = EmailOrigin & {
  readonly id: string;
  readonly workspaceId: string;
  /** If the content is no longer stored, the message can never be built. */
  readonly hasContent: boolean;
  /** The sending domain that the email comes from; null for the platform domain. */
  readonly domainId: string | null;
  /** As written in headers: `Name <local@domain>`. */
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  /** `html` and `text` are also null if too large to be read with the rest; `contentBytes` is then positive. */
  readonly html: string | null;
  readonly text: string | null;
  /** Size of the stored html and text; 0 for an email from a template. */
  readonly contentBytes: number;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly attachments: readonly ClaimedAttachment[];
  readonly headers: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** What the recipient can unsubscribe from; null for mail that one cannot unsubscribe from. */
  readonly topic: string | null;
  /** What the html reports when it is read; null if it reports nothing. */
  readonly tracking: Tracking | null;
  /**
   * What happened to the sending domain after the email was accepted; null if nothing did, or if the email comes from
   * the platform domain.
   */
  readonly senderLost: 'withdrawn' | 'deleted' | null;
};
