import { DEFAULT_PRIORITY, priorities, type RecipientKind } from '@posthorn/contract';
import { type Attachment, MAX_ATTACHED_BYTES_IN_MEMORY } from '@posthorn/domain/attachments';
import { needs } from '@posthorn/domain/delivery';
import { formatAddress } from '@posthorn/domain/format';
import type { Allowance } from '@posthorn/domain/workspaces';
import { encodeJson, LARGE_JSON_CHARACTERS } from '@posthorn/platform/values';
import { type CommitRequest, contentCharacters } from './commit-request.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { NewEmail, NewRecipient } from './new-email.js';

/** The rows of one or more requests as one JSON string. */
export type EncodedRows = { readonly json: string | Buffer; readonly haveNeeds: boolean };

/**
 * Encodes large bodies in pieces, so that other requests can run in between. Must finish before the statement is sent.
 * @param withCaps whether the statement checks the caps (`insertWithinCaps`)
 */
export async function encodeRows(
  requests: readonly CommitRequest[],
  { withCaps }: { withCaps: boolean },
): Promise<EncodedRows> {
  const rows = requests.flatMap((request) => toRows(request, withCaps ? request.workspace.allowance : undefined));
  const characters = requests.reduce((sum, request) => sum + contentCharacters(request), 0);
  return {
    json: characters > LARGE_JSON_CHARACTERS ? Buffer.concat(await encodeJson(rows)) : JSON.stringify(rows),
    haveNeeds: requests.some(({ emails }) => emails.some((email) => needsOf(email) !== NONE)),
  };
}

/** One row for each email. The first one has the idempotency key. */
function toRows(request: CommitRequest, caps: Allowance | undefined): object[] {
  return request.emails.map((email, index) =>
    toRow(email, request, { caps, key: index === 0 ? request.idempotencyKey : null }),
  );
}

/** Every field that is sent costs Postgres time, so undefined fields are left out. Postgres reads them as null. */
function toRow(
  email: NewEmail,
  { workspace, requestId, traceparent, response }: CommitRequest,
  { caps, key }: { caps: Allowance | undefined; key: IdempotencyKey | null },
): object {
  return {
    id: email.id,
    workspace_id: email.workspaceId,
    status: email.status,
    from_: formatAddress(email.from),
    from_address: email.from.address,
    domain_id: given(email.domainId),
    subject: email.subject,
    to: formatted(email.recipients, 'to'),
    cc: unlessEmpty(formatted(email.recipients, 'cc')),
    bcc: unlessEmpty(formatted(email.recipients, 'bcc')),
    reply_to: unlessEmpty(email.replyTo.map(formatAddress)),
    template_id: email.template?.id,
    template_version: email.template?.version,
    template_vars: email.template?.vars,
    tags: unlessEmpty(email.tags.map(({ name, value }) => `${name}:${value}`)),
    headers: Object.keys(email.headers).length > 0 ? email.headers : undefined,
    html: given(email.html),
    text: given(email.text),
    kinds: email.recipients.map(({ kind }) => kind),
    addresses: email.recipients.map(({ address }) => address.address),
    recipient_count: email.recipients.length,
    created_at: email.createdAt,
    scheduled_at: given(email.scheduledAt),
    usage_day: email.usageDay,
    request_id: requestId,
    traceparent,
    key_hash: key?.keyHash,
    fingerprint: key?.fingerprint,
    response: key ? response : undefined,
    monthly_limit: unlessSame(workspace.allowance.monthly, caps?.monthlyCap),
    daily_limit: unlessSame(workspace.allowance.daily, caps?.daily),
    monthly_cap: given(caps?.monthlyCap),
    daily_cap: given(caps?.daily),
    priority: email.priority === DEFAULT_PRIORITY ? undefined : priorities.indexOf(email.priority),
    expires_at: given(email.expiresAt),
    attachments: email.attachments.length > 0 ? email.attachments.map(toAttachmentRow) : undefined,
    topic: given(email.topic),
    needs: needsOf(email) || undefined,
    tracking: given(email.tracking),
  };
}

const NONE = 0;

/** What a worker must understand to deliver the email. */
function needsOf({ attachments, mode, isSimulated, topic, tracking }: NewEmail): number {
  return (
    (attachments.length > 0 ? needs.attachments : NONE) |
    (mode === 'test' ? needs.testMode : NONE) |
    (isSimulated ? needs.simulator : NONE) |
    (topic === null ? NONE : needs.topic) |
    (tracking ? needs.tracking : NONE) |
    (mode === 'test' || isSimulated || areLarge(attachments) ? needs.handoffIntent : NONE)
  );
}

/** Noting the handoff costs a statement, which does not matter for a message of more than a megabyte. */
function areLarge(attachments: readonly Attachment[]): boolean {
  return attachments.reduce((sum, { content }) => sum + content.encodedSize, 0) > MAX_ATTACHED_BYTES_IN_MEMORY;
}

function toAttachmentRow({ filename, contentType, contentId, content }: Attachment, position: number): object {
  return {
    position,
    sha256: content.sha256,
    size: content.bytes.length,
    filename,
    content_type: contentType,
    content_id: contentId,
  };
}

function formatted(recipients: readonly NewRecipient[], kind: RecipientKind): string[] {
  return recipients.filter((recipient) => recipient.kind === kind).map(({ address }) => formatAddress(address));
}

function unlessEmpty(list: string[]): string[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** A limit that is also the cap is sent only once. */
function unlessSame(limit: number | null, cap: number | null | undefined): number | undefined {
  return limit === null || limit === cap ? undefined : limit;
}

/** JSON.stringify leaves undefined fields out. */
function given<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined;
}
