import type { Priority } from '@posthorn/contract';
import type { Attachment } from '@posthorn/domain/attachments';
import type { Address } from '@posthorn/domain/format';
import type { TemplateVars } from '@posthorn/domain/templates';
import type { Duplicates } from './dedupe-recipients.js';

/** A validated request to send. Its addresses are parsed, and duplicates are removed. */
export type SendRequest = {
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly replyTo: readonly Address[];
  /** The recipients that occurred more than once; undefined if none did. */
  readonly duplicates?: Duplicates | undefined;
  /** If null, the platform sender is used. */
  readonly from: Address | null;
  readonly domainId: string | null;
  readonly content: RequestedContent;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
  readonly scheduledAt: Date | null;
  /** Undefined if there are none, so that the fingerprint is that of a request without the field. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** Undefined if the client did not set it. Filling in the default would change the fingerprint of the request. */
  readonly priority?: Priority | undefined;
  readonly expiresAt?: Date | undefined;
  /** What the recipient can unsubscribe from. An email with a topic has exactly one recipient. */
  readonly topic?: string | undefined;
};

export type Tag = { readonly name: string; readonly value: string };

export type RequestedContent =
  | { readonly kind: 'raw'; readonly subject: string; readonly html: string | null; readonly text: string | null }
  | { readonly kind: 'template'; readonly templateId: string; readonly vars: TemplateVars };
