import type { EmailStatus, Mode, Priority, RecipientKind, Warning } from '@posthorn/contract';
import type { Attachment } from '@posthorn/domain/attachments';
import type { Address } from '@posthorn/domain/format';
import type { Tracking } from '@posthorn/domain/links';
import type { TemplateVars } from '@posthorn/domain/templates';
import type { Tag } from './send-request.js';

/** An email as the accept transaction writes it. */
export type NewEmail = {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: Extract<EmailStatus, 'queued' | 'scheduled'>;
  readonly from: Address;
  readonly domainId: string | null;
  readonly subject: string;
  readonly recipients: readonly NewRecipient[];
  readonly replyTo: readonly Address[];
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
  /** Raw content; null if a template is used, because its version and the variables define the content. */
  readonly html: string | null;
  readonly text: string | null;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly attachments: readonly Attachment[];
  /** What the recipient can unsubscribe from; null for most mail. */
  readonly topic: string | null;
  /** What the email reports; null if it reports nothing. */
  readonly tracking: Tracking | null;
  readonly mode: Mode;
  /** Whether a recipient is an address of the simulator. */
  readonly isSimulated: boolean;
  readonly createdAt: Date;
  readonly scheduledAt: Date | null;
  readonly priority: Priority;
  readonly expiresAt: Date | null;
  readonly warnings: readonly Warning[];
  /** The UTC day on which its recipients are counted, such as '2026-11-21'. */
  readonly usageDay: string;
};

/** One email, or all emails of a batch. */
export type NewEmails = readonly [NewEmail, ...NewEmail[]];

export type NewRecipient = { readonly kind: RecipientKind; readonly address: Address };
