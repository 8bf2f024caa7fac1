import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { measureBase64 } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import {
  formatCount,
  formatCountOf,
  hasBidirectionalControls,
  hasControlCharacters,
  removeHiddenCharacters,
} from '@posthorn/platform/values';
import { lookup } from 'mime-types';

/** A file to send with an email. */
export type Attachment = {
  readonly filename: string;
  readonly contentType: string;
  /** Set if the html shows the file, as in `<img src="cid:logo">`. */
  readonly contentId: string | null;
  readonly content: AttachmentContent;
};

/** An attachment of a stored email. Its bytes are read separately, by their hash. */
export type StoredAttachment = Omit<Attachment, 'content'> & {
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** In bytes, before encoding. */
  readonly size: number;
};

/** `objectKey` is null if its content is in Postgres. */
export type ClaimedAttachment = StoredAttachment & { readonly objectKey: string | null };

/** The bytes of an attachment, which are stored under their hash. */
export type AttachmentContent = {
  readonly bytes: Buffer;
  /** Hex. */
  readonly sha256: string;
  /** How many bytes the content takes up in a message. */
  readonly encodedSize: number;
  /** In a request's fingerprint, the hash represents the bytes. */
  toJSON(): string;
};

export function toAttachmentContent(bytes: Buffer): AttachmentContent {
  return { bytes, sha256: hash('sha256', bytes), encodedSize: measureBase64(bytes.length), toJSON: getHash };
}

function getHash(this: AttachmentContent): string {
  return this.sha256;
}

/**
 * Node keeps only the low byte of a character above U+00FF, and so reads U+0141 as an A. This takes a microsecond,
 * because V8 stores text without such characters as one byte per character and does not search it.
 */
const WIDE = /[\u0100-\uffff]/;

/**
 * Decodes base64 strictly (RFC 4648, 3 and 4): with padding, without line breaks, and without bits that decoding would
 * drop. Node ignores invalid characters, so the length of its result shows whether it did. This takes a fraction
 * of the time of a regular expression.
 * @returns null if the text is not base64
 */
export function decodeBase64(text: string): Buffer | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const bytes = Buffer.from(text, 'base64');
  const isComplete = bytes.length === (text.length / 4) * 3 - padding;
  // Node also decodes the URL-safe alphabet.
  if (!isComplete || text.includes('-') || text.includes('_')) return null;
  if (WIDE.test(text)) return null;
  const end = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
  return end.toString('base64') === text.slice(-4) ? bytes : null;
}

/** Extensions that Gmail refuses (support.google.com/mail/answer/6590). */
const REFUSED_BY_GMAIL =
  'ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex ex_ exe hta img ins iso isp jar jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 scr sct shb sys vb vbe vbs vhd vxd wsc wsf wsh xll';

/** Other extensions of files that Windows or macOS run or mount when somebody opens them. Outlook blocks most of them. */
const ALSO_EXECUTABLE = 'app ps1xml ps2 psc1 psc2 reg scf vhdx ws';

/** Mail servers refuse whole messages because of such files, so it is better to say so before the message is sent. */
const EXECUTABLE = new Set(`${REFUSED_BY_GMAIL} ${ALSO_EXECUTABLE}`.split(' ').map((extension) => `.${extension}`));

/** @returns what is wrong with the name of an attachment, as a phrase that follows the field; null if nothing is */
export function findFilenameFault(name: string): string | null {
  if (name.length > limits.attachmentName.max)
    return `has ${formatCountOf(name.length, 'character')}; the limit is ${formatCount(limits.attachmentName.max)}`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (hasControlCharacters(name) || hasBidirectionalControls(name))
    return 'must not contain control characters or characters that change the direction of text';
  if (name.includes('=?'))
    return 'must not contain =?, which mail programs would decode. Write the name in plain Unicode';
  // Neither invisible characters, which emoji and Persian need, nor full-width letters may disguise an extension.
  const visible = removeHiddenCharacters(name).normalize('NFKC');
  if (withoutEnd(visible) === '') return 'must contain a visible character other than dots';
  // Windows takes what follows a colon for the name of a stream of the file.
  const extension = visible
    .split(':')
    .map(findExtension)
    .find((found) => EXECUTABLE.has(found));
  return extension === undefined ? null : `ends with ${extension}; mail servers refuse programs. Send a link instead`;
}

/** @returns in lowercase, with its dot; empty if there is none */
function findExtension(name: string): string {
  return /\.[^.]*$/.exec(withoutEnd(name))?.[0].toLowerCase() ?? '';
}

/** Windows ignores dots and spaces at the end of a name. */
function withoutEnd(name: string): string {
  return name.replace(/[.\s]+$/, '');
}

/** RFC 2045, 5.1, with the characters of RFC 6838, 4.2. Parameters may be quoted. */
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}(?:; ?${NAME}=(?:${NAME}|"[A-Za-z0-9 !#$&'()*+,./:;<=>?@^_{|}~-]*"))*$`);

/** Types whose content must not be base64 (RFC 2045, 6.4). */
const COMPOSITE = /^(?:multipart|message)\//i;

/** Whether the file is a message, which mail programs then open (RFC 2046, 5.2.1). */
export function isMessageType(type: string): boolean {
  return /^message\/rfc822(?:;|$)/i.test(type);
}

/** Whether the file is an invitation (RFC 6047, 2.4). Mail programs show its buttons only if it is no mere attachment. */
export function isInvitationType(type: string): boolean {
  return /^text\/calendar;(?:.*;)? ?method=/i.test(type);
}

/** RFC 5322, 2.1.1 */
const MAX_LINE_CHARACTERS = 998;

/**
 * Prepares a message for being attached: it is sent as it is, so it must consist of lines that servers pass on, and its
 * line ends become CRLF.
 * @returns the bytes, or what is wrong with them, as a phrase that follows the field
 */
export function toMessageLines(bytes: Buffer): Buffer | string {
  const wayOut = 'Send it with the content_type application/octet-stream';
  if (bytes.includes(0)) return `is not a message, because it contains a NUL character. ${wayOut}`;
  const lines = bytes.toString('latin1').split(/\r\n|\r|\n/);
  const longest = lines.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest <= MAX_LINE_CHARACTERS) return Buffer.from(lines.join('\r\n'), 'latin1');
  return `has a line of ${formatCount(longest)} characters; the limit in a message is ${MAX_LINE_CHARACTERS}. ${wayOut}`;
}

const QUOTED_OR_SEMICOLON = /"[^"]*"|[ \t]*;[ \t]*/g;

/** With one space after each semicolon, as types are compared. Other spacing is valid too (RFC 9110, 5.6.6). */
export function toPlainMediaType(type: string): string {
  // Longer ones are refused, and the search would take long.
  if (type.length > limits.contentType.max) return type;
  const spaced = type.replace(QUOTED_OR_SEMICOLON, (found) => (found.startsWith('"') ? found : '; '));
  return spaced.replace(/^[ \t]+|;? *$/g, '');
}

/** Some mail programs take the filename from these, and a boundary only makes sense in a multipart. */
const REFUSED_PARAMETER = /; ?(name|filename|boundary)=/i;
const QUOTED = /"[^"]*"/g;

/** @returns what is wrong with a media type, as a phrase that follows the field; null if nothing is */
export function findContentTypeFault(type: string): string | null {
  if (type.length > limits.contentType.max)
    return `has ${formatCountOf(type.length, 'character')}; the limit is ${formatCount(limits.contentType.max)}`;
  if (!MEDIA_TYPE.test(type)) return 'must be a media type, such as application/pdf or text/calendar; method=REQUEST';
  if (COMPOSITE.test(type) && !isMessageType(type))
    return 'must not be multipart/* or message/*, except message/rfc822; use application/octet-stream';
  const [, parameter] = REFUSED_PARAMETER.exec(type.replace(QUOTED, '')) ?? [];
  if (parameter !== undefined) return `must not have the parameter ${parameter}. Set filename instead`;
  return null;
}

/** Characters that need no escapes in a header or in the html's `cid:` URL (RFC 2392). */
const CONTENT_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]*[A-Za-z0-9])?$/;

/**
 * The header field has the content id in angle brackets (RFC 2045, 7) and the html has it after `cid:` (RFC 2392), so
 * clients send it like that.
 */
export function toPlainContentId(given: string): string {
  return given.replace(/^<(.*)>$/s, '$1').replace(/^cid:/i, '');
}

/** @returns what is wrong with a content id, as a phrase that follows the field; null if nothing is */
export function findContentIdFault(id: string): string | null {
  if (id.length <= limits.contentId.max && CONTENT_ID.test(id)) return null;
  return `must have 1 to ${limits.contentId.max} letters, digits or . _ @ + -, and begin and end with a letter or digit`;
}

/** Receivers offer such a file for download. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The media type for a file name, such as application/pdf for invoice.pdf. Types that the `content_type` field refuses
 * count as unknown.
 */
export function toMediaType(filename: string): string {
  const type = lookup(filename);
  return type && findContentTypeFault(type) === null ? type : UNKNOWN_TYPE;
}

/**
 * Names UTF-8 as the charset of a text that says nothing about it and is UTF-8. Without a name, it would be read as
 * US-ASCII (RFC 2046, 4.1.2).
 */
export function withCharset(type: string, bytes: Buffer): string {
  if (!/^text\//i.test(type) || /;\s*charset=/i.test(type)) return type;
  return isUtf8(bytes) && !isAscii(bytes) ? `${type}; charset=utf-8` : type;
}
