import { MAX_ATTACHED_BYTES_IN_MEMORY } from '@posthorn/domain/attachments';
import { emailLogFields, findLargeContent, messageIdOf, type StoredMessage } from '@posthorn/domain/emails';
import { parseAddress } from '@posthorn/domain/format';
import { unsubscribeUrlOf, withLink, withUnsubscribeUrl } from '@posthorn/domain/links';
import { findTemplateVersion, renderContent } from '@posthorn/domain/templates';
import { attachFiles, encodedBytes } from './format/attach-files.js';
import { buildMessage, type MessageParts } from './format/build-message.js';
import { type Message, MessageUnreadable } from './format/message.js';
import { logUnread } from './log-unread.js';
import type { MessageContext } from './message-context.js';
import { trackHtml } from './tracking/track-html.js';

type Content = Pick<MessageParts, 'html' | 'text'>;

/**
 * - fault: why the message can never be built
 * - postponed: why it cannot be built now
 */
export type NotBuilt = { readonly fault: string } | { readonly postponed: string };

/**
 * Builds an email's RFC 5322 message, not signed yet. Every attempt builds the same bytes, because Message-ID and Date
 * belong to the email, not to the attempt. If the template or a large body cannot be read, the email waits for
 * Postgres. A large message also waits for memory.
 */
export async function renderMessage(
  ctx: Omit<MessageContext, 'signingKeys'>,
  email: StoredMessage,
): Promise<{ readonly message: Message } | NotBuilt> {
  const read = await readParts(ctx, email);
  if (!('parts' in read)) return read;
  const { parts } = read;
  try {
    const hasAttachments = email.attachments.length > 0;
    return { message: hasAttachments ? await attachFiles(ctx, email, parts) : buildMessage(parts) };
  } catch (error) {
    if (error instanceof MessageUnreadable) return { postponed: error.message };
    ctx.log.error({ error, ...emailLogFields(email) }, 'message_not_built');
    return { fault: 'The message could not be built' };
  }
}

/** What the message is built from, with its template rendered. Waits until there is memory for it. */
export async function readParts(
  ctx: Pick<MessageContext, 'config' | 'db' | 'log' | 'messageMemory' | 'templates'>,
  email: StoredMessage,
): Promise<{ readonly parts: MessageParts } | NotBuilt> {
  if (!email.hasContent) return { fault: 'The content of the email is no longer stored' };
  if (email.senderLost !== null) return { fault: lostSenderFault(email, email.senderLost) };
  const unsubscribeUrl = unsubscribeUrlOf(ctx.config, email);
  let content: Content | null;
  try {
    content = await contentOf(ctx, email, unsubscribeUrl);
  } catch (error) {
    logUnread(ctx, email, error);
    return { postponed: `The ${email.template ? 'template' : 'content'} could not be read` };
  }
  if (content === null) return { fault: missingContentFault(email) };
  const html = content.html === null ? null : trackHtml(ctx, email, content.html);
  return { parts: partsOf(email, { ...content, html }, unsubscribeUrl) };
}

function lostSenderFault({ from }: StoredMessage, lost: 'withdrawn' | 'deleted'): string {
  return lost === 'deleted'
    ? `The sending domain of ${from} was deleted while the email was waiting`
    : `The sending domain of ${from} is no longer verified for this workspace`;
}

function missingContentFault({ template }: StoredMessage): string {
  return template === null
    ? 'The content of this email no longer exists'
    : 'The template version that this email uses no longer exists';
}

async function contentOf(
  ctx: Pick<MessageContext, 'db' | 'templates' | 'messageMemory'>,
  email: StoredMessage,
  link: string | null,
): Promise<Content | null> {
  if (email.template !== null) return templateContentOf(ctx, email, email.template, link);
  const { html, text, contentBytes } = email;
  await ctx.messageMemory.reserve(email, contentBytes + attachmentMemory(email));
  const content = html === null && text === null ? await findLargeContent(ctx.db, email.id) : { html, text };
  return content === null || link === null ? content : withUnsubscribeUrl(content, link);
}

async function templateContentOf(
  ctx: Pick<MessageContext, 'db' | 'templates' | 'messageMemory'>,
  email: StoredMessage,
  { id, version, vars }: NonNullable<StoredMessage['template']>,
  link: string | null,
): Promise<Content | null> {
  const template = await findTemplateVersion(ctx, email.workspaceId, id, version);
  if (template === null) return null;
  const content = renderContent(template, withLink(vars, link));
  // Rendered text shares the memory of the template until it is encoded.
  await ctx.messageMemory.reserve(email, content.html.length + content.text.length + attachmentMemory(email));
  return content;
}

/** Streamed attachments take only as much memory as a few pieces, whatever their size. */
function attachmentMemory({ attachments }: StoredMessage): number {
  return Math.min(encodedBytes(attachments), MAX_ATTACHED_BYTES_IN_MEMORY);
}

function partsOf(email: StoredMessage, { html, text }: Content, unsubscribeUrl: string | null): MessageParts {
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
    unsubscribeUrl,
  };
}
