import type { Priority, RecipientKind, Tag } from '@posthorn/contract';
import type { Attachment } from '@posthorn/domain/attachments';
import type { Refusal } from '@posthorn/domain/errors';
import { type Address, toAddressKey } from '@posthorn/domain/format';
import type { TemplateVars } from '@posthorn/domain/templates';
import type { Workspace } from '@posthorn/domain/workspaces';

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

/** A request of a permissive batch that is not valid. `given` is what the client sent. */
export type InvalidRequest = { readonly given: unknown; readonly refusal: Refusal };

export function isInvalid(request: SendRequest | InvalidRequest): request is InvalidRequest {
  return 'refusal' in request;
}

export function countRecipients({ to, cc, bcc }: Pick<SendRequest, 'to' | 'cc' | 'bcc'>): number {
  return to.length + cc.length + bcc.length;
}

export type RequestedContent =
  | { readonly kind: 'raw'; readonly subject: string; readonly html: string | null; readonly text: string | null }
  | { readonly kind: 'template'; readonly templateId: string; readonly vars: TemplateVars };

/**
 * Who sends an email: the workspace, the API key or user whose rate limit the request counts against, and the sending
 * domains that it may use; null for any sender.
 */
export type SendCaller = {
  readonly id: string;
  readonly workspace: Workspace;
  readonly domainIds: readonly string[] | null;
};

/** The recipients that were left out because they occur earlier. */
type Duplicates = {
  readonly count: number;
  /** For each list, where the duplicates were, in ascending order. */
  readonly positions: Readonly<Record<RecipientKind, readonly number[]>>;
  /** The fingerprint of a request contains only how many there were. */
  toJSON(): number;
};

function getCount(this: Duplicates): number {
  return this.count;
}

/** Each address once. `duplicates` is undefined if there were none. */
export type Recipients = Record<RecipientKind, Address[]> & { readonly duplicates: Duplicates | undefined };

/** Keeps only the first occurrence of each address, in the order to, cc, bcc. */
export function dedupeRecipients({ to, cc, bcc }: Readonly<Record<RecipientKind, readonly Address[]>>): Recipients {
  const seen = new Set<string>();
  const positions: Record<RecipientKind, number[]> = { to: [], cc: [], bcc: [] };
  const keep = (addresses: readonly Address[], removed: number[]) =>
    addresses.filter(({ address }, position) => {
      const key = toAddressKey(address);
      const isNew = !seen.has(key);
      if (isNew) seen.add(key);
      else removed.push(position);
      return isNew;
    });
  const kept = { to: keep(to, positions.to), cc: keep(cc, positions.cc), bcc: keep(bcc, positions.bcc) };
  const count = positions.to.length + positions.cc.length + positions.bcc.length;
  return { ...kept, duplicates: count === 0 ? undefined : { count, positions, toJSON: getCount } };
}

/**
 * Where the client gave a recipient, so that a fault can name its field.
 * @param index its position in the list without duplicates
 */
export function toGivenPosition(kind: RecipientKind, index: number, duplicates: Duplicates | undefined): number {
  const removed = duplicates?.positions[kind] ?? [];
  return removed.reduce((position, at) => (at <= position ? position + 1 : position), index);
}
