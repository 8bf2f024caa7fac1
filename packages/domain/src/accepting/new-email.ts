import type { Address } from '../addresses/address.js';
import type { EmailStatus, RecipientKind } from '../emails/email-status.js';
import type { TemplateVars } from '../templates/template-variables.js';
import type { Tag } from './send-request.js';
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
