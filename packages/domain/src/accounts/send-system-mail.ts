import {
  type AcceptContext,
  acceptEmails,
  hashKey,
  type IdempotencyKey,
  type SendRequest,
} from '@posthorn/domain/accepting';
import { parseAddress } from '@posthorn/domain/format';
import { findWorkspace, SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';

/** An email from the service itself to one address. */
export type SystemMail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** For 24 hours, another mail with the same key is ignored. */
  readonly idempotencyKey?: string;
};

/** Keeps auto-responders from replying (RFC 3834, section 5). */
const AUTO_SUBMITTED = { 'Auto-Submitted': 'auto-generated' };

/** Sends the service's own mail like any other email, so it is stored and retried in the same way. */
export async function sendSystemMail(
  ctx: AcceptContext,
  { to, subject, text, html, idempotencyKey }: SystemMail,
): Promise<void> {
  const workspace = await findWorkspace(ctx.db, SYSTEM_WORKSPACE_ID, ctx.config.rateLimitPerMinute);
  if (!workspace) throw new Error('The system workspace is missing. Run the migrations.');
  const request: SendRequest = {
    to: [parseAddress(to)],
    cc: [],
    bcc: [],
    replyTo: [],
    from: null,
    domainId: null,
    content: { kind: 'raw', subject, html, text },
    headers: AUTO_SUBMITTED,
    tags: [],
    scheduledAt: null,
    priority: 'high',
  };
  await acceptEmails(ctx, {
    caller: { id: workspace.id, workspace, domainIds: null },
    requests: [request],
    idempotencyKey: idempotencyKey === undefined ? null : toIdempotencyKey(idempotencyKey),
    toResponse: () => '',
  });
}

/** The fingerprint does not depend on the text, so a mail that reads differently after an update is not sent again. */
function toIdempotencyKey(key: string): IdempotencyKey {
  return { keyHash: hashKey(key), fingerprint: hashKey(key) };
}
