import type { Address } from '../addresses/address.js';
import type { EmailStatus, RecipientKind } from '../emails/email-status.js';

/** What a client asks for, checked for form: addresses parsed and without duplicates. */
export type SendRequest = {
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly replyTo: readonly Address[];
  /** null: the platform sender. */
  readonly from: Address | null;
  readonly domainId: string | null;
  readonly content: RequestedContent;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
  readonly scheduledAt: Date | null;
};

export type Tag = { readonly name: string; readonly value: string };

export type TemplateVars = Readonly<Record<string, string | number | boolean | null>>;

export type RequestedContent =
  | { readonly kind: 'raw'; readonly subject: string; readonly html: string | null; readonly text: string | null }
  | { readonly kind: 'template'; readonly templateId: string; readonly vars: TemplateVars };

/** An email at the moment of its acceptance: what the ledger writes. */
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
  /** Raw content; null in template mode, where the version and the variables say it all. */
  readonly html: string | null;
  readonly text: string | null;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly createdAt: Date;
  readonly scheduledAt: Date | null;
  /** UTC day that its recipients are counted on, '2026-11-21'. */
  readonly usageDay: string;
};

export type NewRecipient = { readonly kind: RecipientKind; readonly address: Address };
