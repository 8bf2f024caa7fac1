import {
  type ClaimedEmail,
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
 * belong to the email, not to the attempt. If the template cannot be read, the email waits for Postgres.
 */
export async function renderMessage(
  ctx: Pick<WorkerContext, 'db' | 'templates' | 'log'>,
  email: ClaimedEmail,
): Promise<Rendered> {
  if (!email.hasContent) return { fault: 'The content of the email is no longer stored' };
  if (email.senderLost !== null) return { fault: lostSenderFault(email, email.senderLost) };
  let content: Content | null;
  try {
    content = await contentOf(ctx, email);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, emailId: email.id }, 'template_not_read');
    return { postponed: 'The template could not be read' };
  }
  if (content === null) return { fault: 'The template version that this email uses no longer exists' };
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

async function contentOf(ctx: Pick<WorkerContext, 'db' | 'templates'>, email: ClaimedEmail): Promise<Content | null> {
  const { template, html, text } = email;
  if (template === null) return { html, text };
  const version = await findTemplateVersion(ctx, email.workspaceId, template.id, template.version);
  return version && renderContent(version, template.vars);
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
