import {
  type ClaimedEmail,
  findClaimedContent,
  findTemplateVersion,
  isUnavailable,
  messageIdOf,
  parseAddress,
  renderContent,
} from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { buildMessage, type MessageParts } from './message/build-message.js';

type Content = Pick<MessageParts, 'html' | 'text'>;

/**
 * - message: not signed yet
 * - fault: why the message can never be built
 * - postponed: why it cannot be built now
 */
export type Rendered = { readonly message: Buffer } | { readonly fault: string } | { readonly postponed: string };

/**
 * Builds an email's RFC 5322 message. Every attempt builds the same bytes, because Message-ID and Date
 * belong to the email, not to the attempt. If the template or a large body cannot be read, the email waits for
 * Postgres. A large message also waits for memory.
 */
export async function renderMessage(
  ctx: Pick<WorkerContext, 'db' | 'templates' | 'messageMemory' | 'log'>,
  email: ClaimedEmail,
): Promise<Rendered> {
  if (!email.hasContent) return { fault: 'The content of the email is no longer stored' };
  if (email.senderLost !== null) return { fault: lostSenderFault(email, email.senderLost) };
  let content: Content | null;
  try {
    content = await contentOf(ctx, email);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, emailId: email.id }, 'content_not_read');
    return { postponed: `The ${email.template ? 'template' : 'content'} could not be read` };
  }
  if (content === null) return { fault: missingContentFault(email) };
  try {
    return { message: buildMessage(partsOf(email, content)) };
  } catch (error) {
    ctx.log.error({ error, emailId: email.id }, 'message_not_built');
    return { fault: 'The message could not be built' };
  }
}

function lostSenderFault({ from }: ClaimedEmail, lost: 'withdrawn' | 'deleted'): string {
  return lost === 'deleted'
    ? `The sending domain of ${from} was deleted while the email was waiting`
    : `The sending domain of ${from} is no longer verified for this workspace`;
}

function missingContentFault({ template }: ClaimedEmail): string {
  return template === null
    ? 'The content of this email no longer exists'
    : 'The template version that this email uses no longer exists';
}

async function contentOf(
  ctx: Pick<WorkerContext, 'db' | 'templates' | 'messageMemory'>,
  email: ClaimedEmail,
): Promise<Content | null> {
  if (email.template !== null) return templateContentOf(ctx, email, email.template);
  const { html, text, contentBytes } = email;
  await ctx.messageMemory.reserve(email, contentBytes);
  return html === null && text === null ? findClaimedContent(ctx.db, email.id) : { html, text };
}

async function templateContentOf(
  ctx: Pick<WorkerContext, 'db' | 'templates' | 'messageMemory'>,
  email: ClaimedEmail,
  { id, version, vars }: NonNullable<ClaimedEmail['template']>,
): Promise<Content | null> {
  const template = await findTemplateVersion(ctx, email.workspaceId, id, version);
  if (template === null) return null;
  const content = renderContent(template, vars);
  // Rendered text shares the memory of the template until it is encoded.
  await ctx.messageMemory.reserve(email, content.html.length + content.text.length);
  return content;
}

function partsOf(email: ClaimedEmail, { html, text }: Content): MessageParts {
  return {
    emailId: email.id,
    messageId: messageIdOf(email.id, email.from),
    date: email.createdAt,
    from: parseAddress(email.from),
    to: email.to.map(parseAddress),
    cc: email.cc.map(parseAddress),
    replyTo: email.replyTo.map(parseAddress),
    subject: email.subject,
    html,
    text,
    headers: Object.entries(email.headers),
  };
}
