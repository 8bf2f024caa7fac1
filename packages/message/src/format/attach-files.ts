import { type ClaimedAttachment, MAX_ATTACHED_BYTES_IN_MEMORY, readAttachment } from '@posthorn/domain/attachments';
import type { LoggedEmail, StoredMessage } from '@posthorn/domain/emails';
import { encodedSize } from '@posthorn/domain/format';
import { logUnread } from '../log-unread.js';
import type { MessageContext } from '../message-context.js';
import { buildPieces, type MessageParts } from './build-message.js';
import { type Message, MessageUnreadable, type Piece, type StreamedMessage } from './message.js';

type AttachmentReader = Pick<MessageContext, 'db' | 'log' | 'objects' | 'messageMemory'>;

/** As much as is sent in one write. */
const SLICE_BYTES = 65_536;

/**
 * Builds a message with attachments. If there is not enough memory for large ones, they are read during signing, and
 * again during sending.
 * @throws MessageUnreadable if attachments that are kept in memory could not be read
 */
export async function attachFiles(ctx: AttachmentReader, email: StoredMessage, parts: MessageParts): Promise<Message> {
  const pieces = buildPieces(parts, email.attachments);
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  const message: StreamedMessage = { length, pieces, read: (attachment) => readEncoded(ctx, email, attachment) };
  const bytes = encodedBytes(email.attachments);
  const canKeep = bytes <= MAX_ATTACHED_BYTES_IN_MEMORY || ctx.messageMemory.keep(email, bytes);
  return canKeep ? readIntoMemory(message) : message;
}

/** How many bytes the attachments take up in the message. */
export function encodedBytes(attachments: readonly ClaimedAttachment[]): number {
  return attachments.reduce((sum, { size }) => sum + encodedSize(size), 0);
}

function lengthOf(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : encodedSize(piece.size);
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
