import { DEFAULT_PRIORITY } from '@posthorn/contract';
import { assertExpiry, assertSchedulable } from '@posthorn/domain/emails';
import { Refusal } from '@posthorn/domain/errors';
import { trackingOf, unsubscribeUrl } from '@posthorn/domain/links';
import { modeOf, periodsAt } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import type { AcceptContext } from './accept-context.js';
import { assertMayReceive } from './assert-may-receive.js';
import { findSimulated } from './find-simulated.js';
import { assertMessageSize } from './message-size.js';
import type { NewEmail, NewEmails, NewRecipient } from './new-email.js';
import { refusalOfBatch } from './refusal-of-batch.js';
import { refusalOfPaused } from './refusal-of-paused.js';
import { resolveContent } from './resolve-content.js';
import { resolveSender } from './resolve-sender.js';
import type { SendCaller } from './send-caller.js';
import type { RequestedContent, SendRequest } from './send-request.js';
import { suppressedRecipients } from './suppressed-recipients.js';
import { warningsOf } from './warnings.js';

type DraftContext = Pick<
  AcceptContext,
  'config' | 'db' | 'findCurrentVersion' | 'findSenderDomain' | 'findSuppressed' | 'now' | 'templates'
>;

type Drafter = Pick<SendCaller, 'workspace' | 'domainIds'>;

/**
 * The emails as they would be stored, or the refusal if this caller may not send one of them. All have the same
 * createdAt, because all recipients of a batch count toward the same day and month.
 */
export async function draftEmails(
  ctx: DraftContext,
  caller: Drafter,
  { requests, isBatch = false }: { requests: readonly SendRequest[]; isBatch?: boolean },
): Promise<NewEmails | Refusal> {
  const refused = refusalOfPaused(caller.workspace);
  if (refused) return refused;
  const createdAt = ctx.now();
  const drafts = await Promise.all(requests.map((request) => draftEmail(ctx, caller, request, createdAt)));
  const refusal = isBatch ? refusalOfBatch(drafts) : drafts.find((draft) => draft instanceof Refusal);
  return refusal ?? (drafts as unknown as NewEmails);
}

async function draftEmail(
  ctx: DraftContext,
  caller: Drafter,
  request: SendRequest,
  createdAt: Date,
): Promise<NewEmail | Refusal> {
  try {
    const { workspace } = caller;
    assertMayReceive(ctx.config, workspace, request);
    const simulated = findSimulated(request, ctx.config.simulatorDomain);
    const sender = await resolveSender(ctx, caller, request);
    const id = newId();
    const link = linkOf(ctx, request, { id, workspaceId: workspace.id });
    const content = await resolveContent(ctx, workspace.liveId, request.content, link);
    const recipients = recipientsOf(request);
    assertMessageSize({ request, from: sender.from, content, unsubscribeUrl: link });
    if (request.scheduledAt) assertSchedulable(request.scheduledAt, createdAt);
    if (request.expiresAt) assertExpiry(request.expiresAt, request.scheduledAt ?? createdAt);
    const suppressed = await suppressedRecipients(ctx, workspace, request, simulated);
    return {
      id,
      workspaceId: workspace.id,
      status: request.scheduledAt ? 'scheduled' : 'queued',
      from: sender.from,
      domainId: sender.domainId,
      subject: content.subject,
      ...storedContent(request.content),
      template: content.template,
      recipients,
      replyTo: request.replyTo,
      headers: request.headers,
      tags: request.tags,
      attachments: request.attachments ?? NO_ATTACHMENTS,
      topic: request.topic ?? null,
      tracking: trackingOf(ctx.config, sender.tracks, { hasHtml: hasHtml(content), recipients: recipients.length }),
      mode: modeOf(workspace),
      isSimulated: simulated.any,
      createdAt,
      scheduledAt: request.scheduledAt,
      priority: request.priority ?? DEFAULT_PRIORITY,
      expiresAt: request.expiresAt ?? null,
      warnings: warningsOf(request, { used: sender.from, suppressed: [...suppressed.keys()] }, createdAt),
      usageDay: periodsAt(createdAt).day,
    };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const FROM_TEMPLATE: Pick<NewEmail, 'html' | 'text'> = { html: null, text: null };

/** Raw content is stored as it was sent, without the link. */
function storedContent(content: RequestedContent): Pick<NewEmail, 'html' | 'text'> {
  return content.kind === 'raw' ? content : FROM_TEMPLATE;
}

/** The link with which the recipient of an email with a topic unsubscribes. */
function linkOf(
  { config }: DraftContext,
  { topic, to: [recipient] }: SendRequest,
  { id: emailId, workspaceId }: Pick<NewEmail, 'id' | 'workspaceId'>,
): string | null {
  if (topic === undefined || recipient === undefined) return null;
  return unsubscribeUrl(config, { workspaceId, emailId, topic, address: recipient.address });
}

/** A template always has html. */
function hasHtml({ html, template }: Pick<NewEmail, 'html' | 'template'>): boolean {
  return html !== null || template !== null;
}

const NO_ATTACHMENTS: NewEmail['attachments'] = [];

function recipientsOf({ to, cc, bcc }: SendRequest): NewRecipient[] {
  const recipients: NewRecipient[] = [];
  for (const address of to) recipients.push({ kind: 'to', address });
  for (const address of cc) recipients.push({ kind: 'cc', address });
  for (const address of bcc) recipients.push({ kind: 'bcc', address });
  return recipients;
}
