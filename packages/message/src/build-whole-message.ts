import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import type { SigningKey } from '@posthorn/domain/domains';
import { signMessage } from './dkim/sign-message.js';
import { buildMessage, buildPieces, type MessageParts } from './format/build-message.js';
import type { StreamedMessage } from './format/message.js';

/** `contents` has the base64 lines of each attachment, in the order of `attachments`. */
export type WholeMessageParts = {
  readonly parts: MessageParts;
  readonly attachments: readonly ClaimedAttachment[];
  readonly contents: readonly Uint8Array[];
  readonly key: SigningKey;
};

/**
 * Builds and signs a message in memory. The bytes are those of `renderMessage` and `signEmail`. Large ones take a
 * while.
 */
export async function buildWholeMessage({ parts, attachments, contents, key }: WholeMessageParts): Promise<Buffer> {
  if (attachments.length === 0) return signMessage(buildMessage(parts), key);
  const pieces = buildPieces(parts, attachments);
  const read = (attachment: ClaimedAttachment) => [Buffer.from(contents[attachments.indexOf(attachment)] ?? [])];
  const sizes = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : read(piece)[0])?.length ?? 0);
  const length = sizes.reduce((sum, size) => sum + size, 0);
  const signed = (await signMessage({ pieces, read, length }, key)) as StreamedMessage;
  const buffers: Buffer[] = [];
  for (const piece of signed.pieces) buffers.push(...(Buffer.isBuffer(piece) ? [piece] : read(piece)));
  return Buffer.concat(buffers);
}
