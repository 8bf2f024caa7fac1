import { isAscii } from 'node:buffer';
import { type ClaimedAttachment, isMessageType } from '@posthorn/domain/attachments';
import { assertOneLine, CRLF, fold, formatParameter, toEncodedWords } from './header.js';

/** A piece of a message begins at the start of a line. An attachment represents its bytes in base64. */
export type Piece = Buffer | ClaimedAttachment;

/** The content of attached messages, in lines that end with CRLF. */
export type AttachedMessages = ReadonlyMap<ClaimedAttachment, Buffer>;

/** Reads the content of an attachment in lines of base64. */
export type ReadAttachment = (attachment: ClaimedAttachment) => AsyncIterable<Buffer> | Iterable<Buffer>;

/** Attached messages are sent as they are, not in base64, and are small enough to be kept in memory. */
export async function readMessages(
  attachments: readonly ClaimedAttachment[],
  read: ReadAttachment,
): Promise<AttachedMessages> {
  const messages = new Map<ClaimedAttachment, Buffer>();
  for (const attachment of attachments) {
    if (!isMessageType(attachment.contentType)) continue;
    const lines: Buffer[] = [];
    for await (const each of read(attachment)) lines.push(each);
    messages.set(attachment, Buffer.from(Buffer.concat(lines).toString('latin1'), 'base64'));
  }
  return messages;
}

type Encoding = '7bit' | '8bit' | 'base64';

/** - inline: the html shows the file. - invitation: it is also an alternative to the text */
type FileRole = 'inline' | 'attachment' | 'invitation';

/** The part of a message that contains a file (RFC 2183). */
export function toFilePart(attachment: ClaimedAttachment, role: FileRole, messages: AttachedMessages): Piece[] {
  const { filename, contentType, contentId } = attachment;
  const message = messages.get(attachment);
  // Programs that have shown the invitation would show it twice if its type said that it is one.
  const type = role === 'invitation' ? 'application/ics' : contentType;
  assertOneLine('Content-ID', contentId ?? '');
  const headers =
    formatTypeAndEncoding(filename, type, message === undefined ? 'base64' : toEncoding(message)) +
    fold('Content-Disposition', [
      `${role === 'inline' ? role : 'attachment'};`,
      ...formatParameter('filename', filename),
    ]) +
    (contentId === null ? '' : `Content-ID: <${contentId}>${CRLF}`);
  return [Buffer.from(headers + CRLF, 'latin1'), message ?? attachment];
}

function toEncoding(message: Buffer): Encoding {
  return isAscii(message) ? '7bit' : '8bit';
}

/** An invitation as an alternative to the text. It has no disposition, because it is not a file to keep. */
export function toInvitationPart(attachment: ClaimedAttachment): Piece[] {
  const headers = formatTypeAndEncoding(attachment.filename, attachment.contentType, 'base64');
  return [Buffer.from(headers + CRLF, 'latin1'), attachment];
}

/** The headers of a part with a file, without the blank line after them. */
function formatTypeAndEncoding(filename: string, contentType: string, encoding: Encoding): string {
  assertOneLine('Content-Type', contentType);
  return (
    fold('Content-Type', [...`${contentType};`.split(/(?<=;) /), ...toTypeName(filename)]) +
    `Content-Transfer-Encoding: ${encoding}${CRLF}`
  );
}

/** In a line of 76 characters that begins with ` name="`. */
const MAX_FIRST_WORD_CHARACTERS = 68;

/** Mail programs that do not know RFC 2231 read the name here. They decode encoded-words in quotes, too. */
function toTypeName(filename: string): string[] {
  const words = /^[\x20-\x7e]+$/.test(filename)
    ? [filename.replace(/["\\]/g, '\\$&')]
    : toEncodedWords(filename, MAX_FIRST_WORD_CHARACTERS);
  const last = words.length - 1;
  return words.map((word, index) => `${index === 0 ? 'name="' : ''}${word}${index === last ? '"' : ''}`);
}
