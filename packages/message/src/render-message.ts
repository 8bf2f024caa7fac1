import {
  type ClaimedAttachment,
  isMessageType,
  MAX_ATTACHED_BYTES_IN_MEMORY,
  readAttachment,
} from '@posthorn/domain/attachments';
import type { SigningKeyCache } from '@posthorn/domain/domains';
import { findLargeContent, type LoggedEmail, type StoredMessage, toLogFields } from '@posthorn/domain/emails';
import { measureBase64 } from '@posthorn/domain/format';
import { findUnsubscribeUrl, withLink, withUnsubscribeUrl } from '@posthorn/domain/links';
import { findTemplateVersion, renderContent, type TemplateCache } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { type Piece, readMessages } from './attachment-parts.js';
import {
  buildMessage,
  buildPieces,
  is8Bit,
  type Message,
  type MessageParts,
  MessageUnreadable,
  type StreamedMessage,
  toMessageParts,
} from './build-message.js';
import { trackHtml } from './track-html.js';

export type MessageContext = Pick<Context, 'config' | 'db' | 'log' | 'objects'> & {
  readonly templates: TemplateCache;
  readonly messageMemory: MessageMemory;
  readonly signingKeys: SigningKeyCache;
};

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
    ctx.log.error({ error, ...toLogFields(email) }, 'message_not_built');
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
  const unsubscribeUrl = findUnsubscribeUrl(ctx.config, email);
  let content: Content | null;
  try {
    content = await findContent(ctx, email, unsubscribeUrl);
  } catch (error) {
    logUnread(ctx, email, error);
    return { postponed: `The ${email.template ? 'template' : 'content'} could not be read` };
  }
  if (content === null) return { fault: missingContentFault(email) };
  const html = content.html === null ? null : trackHtml(ctx, email, content.html);
  return { parts: toMessageParts(email, { ...content, html }, unsubscribeUrl) };
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

async function findContent(
  ctx: Pick<MessageContext, 'db' | 'templates' | 'messageMemory'>,
  email: StoredMessage,
  link: string | null,
): Promise<Content | null> {
  if (email.template !== null) return renderTemplate(ctx, email, email.template, link);
  const { html, text, contentBytes } = email;
  await ctx.messageMemory.reserve(email, contentBytes + attachmentMemory(email));
  const content = html === null && text === null ? await findLargeContent(ctx.db, email.id) : { html, text };
  return content === null || link === null ? content : withUnsubscribeUrl(content, link);
}

async function renderTemplate(
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

/** Streamed attachments take only as much memory as a few pieces, whatever their size. Messages are not streamed. */
function attachmentMemory({ attachments }: StoredMessage): number {
  const messages = attachments.filter(({ contentType }) => isMessageType(contentType));
  const others = encodedBytes(attachments.filter((each) => !messages.includes(each)));
  return encodedBytes(messages) + Math.min(others, MAX_ATTACHED_BYTES_IN_MEMORY);
}

type AttachmentReader = Pick<MessageContext, 'db' | 'log' | 'objects' | 'messageMemory'>;

/** As much as is sent in one write. */
const SLICE_BYTES = 65_536;

/**
 * Builds a message with attachments. If there is not enough memory for large ones, they are read during signing, and
 * again during sending.
 * @throws MessageUnreadable if attachments that are kept in memory could not be read
 */
async function attachFiles(ctx: AttachmentReader, email: StoredMessage, parts: MessageParts): Promise<Message> {
  const read = (attachment: ClaimedAttachment) => readEncoded(ctx, email, attachment);
  const pieces = buildPieces(parts, email.attachments, await readMessages(email.attachments, read));
  const length = pieces.reduce((sum, piece) => sum + getLength(piece), 0);
  const message: StreamedMessage = { length, is8Bit: is8Bit(pieces), pieces, read };
  const bytes = encodedBytes(email.attachments);
  const canKeep = bytes <= MAX_ATTACHED_BYTES_IN_MEMORY || ctx.messageMemory.keep(email, bytes);
  return canKeep ? readIntoMemory(message) : message;
}

function encodedBytes(attachments: readonly ClaimedAttachment[]): number {
  return attachments.reduce((sum, { size }) => sum + measureBase64(size), 0);
}

function getLength(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : measureBase64(piece.size);
}

async function* readEncoded(
  ctx: AttachmentReader,
  email: LoggedEmail & Pick<StoredMessage, 'workspaceId'>,
  attachment: ClaimedAttachment,
): AsyncGenerator<Buffer> {
  try {
    for await (const part of readAttachment(ctx, email.workspaceId, attachment))
      for (let at = 0; at < part.length; at += SLICE_BYTES) yield part.subarray(at, at + SLICE_BYTES);
  } catch (error) {
    logUnread(ctx, email, error);
    throw new MessageUnreadable();
  }
}

async function readIntoMemory(message: StreamedMessage): Promise<StreamedMessage> {
  const contents = new Map<ClaimedAttachment, Buffer[]>();
  for (const piece of message.pieces) {
    if (Buffer.isBuffer(piece)) continue;
    const content: Buffer[] = [];
    for await (const lines of message.read(piece)) content.push(lines);
    contents.set(piece, content);
  }
  return { ...message, read: (attachment) => contents.get(attachment) as Buffer[] };
}

/** Logs that part of an email could not be read from Postgres. The email waits. */
function logUnread({ log }: Pick<Context, 'log'>, email: LoggedEmail, error: unknown): void {
  log[isUnavailable(error) ? 'warn' : 'error']({ error, ...toLogFields(email) }, 'content_not_read');
}

/** Emails whose html and text together are at most this large never wait. */
const MAX_SMALL_BYTES = 256_000;
/**
 * The maximum total size of html and text in the large messages in progress. A message takes up to ten times as much
 * memory, because it is encoded, signed and sent.
 */
const MAX_LARGE_BYTES = 16_000_000;
/** The maximum total size of the attachments that are kept between signing and sending. They are not copied. */
const MAX_KEPT_BYTES = 64_000_000;

export type MessageMemory = ReturnType<typeof createMessageMemory>;

/**
 * Bounds the memory for large messages, because a worker with many slots could otherwise build hundreds of megabytes at
 * the same time. An email that is larger than the bound is built when no other large email is in progress, so every
 * email gets its turn.
 */
export function createMessageMemory(maxBytes = MAX_LARGE_BYTES) {
  const reserved = new Map<StoredMessage, number>();
  const waiting: Array<{ email: StoredMessage; bytes: number; start: () => void }> = [];
  const kept = new Map<StoredMessage, number>();
  let used = 0;
  let keptBytes = 0;

  function startWaiting(): void {
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= maxBytes); next = waiting[0]) {
      waiting.shift();
      used += next.bytes;
      reserved.set(next.email, next.bytes);
      next.start();
    }
  }

  return {
    /** Settles when there is memory to build and send this email. Calls are served in order. */
    async reserve(email: StoredMessage, bytes: number): Promise<void> {
      if (bytes <= MAX_SMALL_BYTES) return;
      await new Promise<void>((start) => {
        waiting.push({ email, bytes, start });
        startWaiting();
      });
    },
    /** Whether the email's attachments can be kept in memory right now. If not, they must be read again. */
    keep(email: StoredMessage, bytes: number): boolean {
      if (keptBytes + bytes > MAX_KEPT_BYTES) return false;
      kept.set(email, bytes);
      keptBytes += bytes;
      return true;
    },
    /** Call this when the attempt has ended, whether or not any memory was reserved. */
    release(email: StoredMessage): void {
      keptBytes -= kept.get(email) ?? 0;
      kept.delete(email);
      const bytes = reserved.get(email);
      if (bytes === undefined) return;
      reserved.delete(email);
      used -= bytes;
      startWaiting();
    },
  };
}
