import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import { findSigningKey, type SigningKey, type SigningKeyContext } from '@posthorn/domain/domains';
import { emailLogFields, type LoggedEmail, type StoredMessage } from '@posthorn/domain/emails';
import { parseAddress, toHost } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import {
  buildMessage,
  buildPieces,
  type Message,
  type MessageParts,
  MessageUnreadable,
  type StreamedMessage,
} from './build-message.js';
import { signMessage } from './dkim.js';
import type { NotBuilt } from './render-message.js';

/**
 * Signs with the key of From's domain. A message is never sent unsigned. If the key cannot be read, the email
 * waits until Postgres is back or the right SECRET_KEY is set.
 */
export async function signEmail(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
  message: Message,
): Promise<{ readonly message: Message } | NotBuilt> {
  const found = await findSenderKey(ctx, email);
  if (!('key' in found)) return found;
  try {
    return { message: await signMessage(message, found.key) };
  } catch (error) {
    if (error instanceof MessageUnreadable) return { postponed: error.message };
    ctx.log.error({ error, ...emailLogFields(email) }, 'message_not_signed');
    return { fault: 'The message could not be signed' };
  }
}

/** The key of From's domain. */
export async function findSenderKey(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
): Promise<{ readonly key: SigningKey } | NotBuilt> {
  const host = getSenderHost(email);
  let key: SigningKey | null;
  try {
    key = await findSigningKey(ctx, email.domainId);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, ...emailLogFields(email) }, 'signing_key_not_read');
    return { postponed: `The signing key of ${host} could not be read` };
  }
  if (key === null) return { fault: `The sending domain ${host} no longer has a signing key` };
  if (key.domain !== host) return { fault: `The email is from ${host}, but its signing key is for ${key.domain}` };
  return { key };
}

/** The domain of From. Its key signs the message, and it is part of the message id and the return path. */
export function getSenderHost({ from }: Pick<StoredMessage, 'from'>): string {
  return toHost(parseAddress(from).address);
}

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
