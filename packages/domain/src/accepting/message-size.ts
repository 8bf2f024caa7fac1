import { type Attachment, isInvitationType } from '@posthorn/domain/attachments';
import { invalid } from '@posthorn/domain/errors';
import { type Address, measureEncodedText, measureText } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { measureTemplate, type ParsedParts, type TemplateVars } from '@posthorn/domain/templates';
import { formatCount } from '@posthorn/platform/values';
import type { SendRequest } from './send-request.js';

/** What the content of an email is rendered from. */
type ContentSource = { readonly parts: Pick<ParsedParts, 'html' | 'text'>; readonly vars: TemplateVars };

export type SizedContent = {
  readonly subject: string;
  /** Raw content; not used if there is a source. */
  readonly html: string | null;
  readonly text: string | null;
  /** Null for raw content. */
  readonly source: ContentSource | null;
};

/** What the size of a message depends on. */
type SizedEmail<Content extends SizedContent = SizedContent> = {
  readonly request: Pick<SendRequest, 'to' | 'cc' | 'replyTo' | 'headers' | 'attachments'>;
  readonly from: Address;
  readonly content: Content;
  /** null for mail without a topic. */
  readonly unsubscribeUrl?: string | null;
};

/** Upper bounds, in bytes as they are sent. */
type MessageSize = {
  readonly headers: number;
  readonly files: number;
  readonly html: number;
  readonly text: number;
};

/** Date, Message-ID and the other fields that every message has, and a DKIM signature made with a 4096-bit key. */
const FIXED_HEADER_BYTES = 1_500;
/** The two List-Unsubscribe fields without the link, and their names in the DKIM signature. */
const UNSUBSCRIBE_HEADER_BYTES = 200;
/** Boundaries and the headers of a part. */
const PART_OVERHEAD_BYTES = 300;
/** From, Message-ID and the DKIM signature contain it, or its domain. */
const TIMES_SENDER_APPEARS = 3;
/** An encoded-word holds 42 bytes in 78 characters, including a line break. The first one may be much shorter. */
const ENCODED_WORD_FACTOR = 2;
const FIRST_WORD_BYTES = 160;
/** A filename is percent-encoded in pieces of 50 characters (RFC 2231), and once more in encoded-words. */
const FILENAME_FACTOR = 8;

/** How large a message can be. Takes a few milliseconds per megabyte of html and text. */
export function measureMessage(email: SizedEmail): MessageSize {
  return { headers: headerSize(email), files: filesSize(email.request.attachments), ...bodySizes(email.content) };
}

function bodySizes({ html, text, source }: SizedContent): Pick<MessageSize, 'html' | 'text'> {
  if (source === null) return { html: rawSize(html), text: rawSize(text) };
  const { parts, vars } = source;
  return {
    html: measureEncodedText(measureTemplate(parts.html, vars, 'html')),
    text: measureEncodedText(measureTemplate(parts.text, vars, 'none')),
  };
}

export function sumSizes({ headers, files, html, text }: MessageSize): number {
  return headers + files + html + text;
}

function rawSize(text: string | null): number {
  return text === null ? 0 : measureEncodedText(measureText(text));
}

function filesSize(attachments: readonly Attachment[] = []): number {
  return attachments.reduce((sum, file) => sum + countParts(file) * file.content.encodedSize, 0);
}

function headerSize({ request, from, content: { subject }, unsubscribeUrl = null }: SizedEmail): number {
  const { to, cc, replyTo, headers, attachments = [] } = request;
  const addresses = [from, ...to, ...cc, ...replyTo].reduce((sum, address) => sum + addressSize(address), 0);
  const custom = Object.entries(headers).reduce(
    // The DKIM signature may list the name twice.
    (sum, [name, value]) => sum + 3 * (name.length + 5) + encodedWordsSize(value),
    0,
  );
  const files = attachments.reduce((sum, file) => sum + countParts(file) * fileHeaderSize(file), 0);
  const sender = TIMES_SENDER_APPEARS * from.address.length;
  const link = unsubscribeUrl === null ? 0 : UNSUBSCRIBE_HEADER_BYTES + unsubscribeUrl.length;
  const fixed = FIXED_HEADER_BYTES + 2 * PART_OVERHEAD_BYTES;
  return fixed + sender + encodedWordsSize(subject) + addresses + custom + files + link;
}

/** An invitation is also an alternative to the text. */
function countParts({ contentType }: Attachment): number {
  return isInvitationType(contentType) ? 2 : 1;
}

function addressSize({ name, address }: Address): number {
  return address.length + 6 + (name === null ? 0 : encodedWordsSize(name));
}

function encodedWordsSize(text: string): number {
  return FIRST_WORD_BYTES + ENCODED_WORD_FACTOR * Buffer.byteLength(text);
}

function fileHeaderSize({ filename, contentType, contentId }: Attachment): number {
  const type = 2 * contentType.length;
  return (
    PART_OVERHEAD_BYTES +
    type +
    (contentId?.length ?? 0) +
    FIRST_WORD_BYTES +
    FILENAME_FACTOR * Buffer.byteLength(filename)
  );
}

/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
/** More than the headers of a message can take within their own limits: the custom ones, and all others. */
const MAX_HEADER_BYTES =
  limits.headers.max * limits.headerValue.max * MAX_BYTES_PER_UNIT * ENCODED_WORD_FACTOR + 600_000;
/** A character of html or text takes at most 4.1 bytes, in whatever encoding. */
const MAX_BYTES_PER_CHARACTER = 5;

/**
 * Nearly every email is so small that nothing has to be measured.
 * @param email with the number of characters of html and text together; the number of bytes will do as well
 * @throws Refusal validation_failed if the whole message could be larger than the limit
 */
export function assertMessageSize(email: SizedEmail<SizedContent & { readonly characters: number }>): void {
  const { max } = limits.messageBytes;
  const files = filesSize(email.request.attachments);
  if (files + MAX_BYTES_PER_CHARACTER * email.content.characters + MAX_HEADER_BYTES <= max) return;
  const size = measureMessage(email);
  const total = sumSizes(size);
  if (total <= max) return;
  const { field, verb, wayOut } = largestPart(size, email.content);
  const bytes = `a message of up to ${formatCount(total)} bytes once it is encoded`;
  throw invalid({ field, message: `${verb} ${bytes}; the limit is ${formatCount(max)}. ${wayOut}` });
}

type LargestPart = { readonly field: string; readonly verb: string; readonly wayOut: string };

function largestPart({ files, html, text }: MessageSize, { source }: SizedContent): LargestPart {
  if (files >= Math.max(html, text))
    return { field: 'attachments', verb: 'make', wayOut: 'Link to large files instead' };
  if (source) return { field: 'template_id', verb: 'makes', wayOut: 'Shorten the template or the values' };
  return { field: html >= text ? 'html' : 'text', verb: 'makes', wayOut: 'Shorten it' };
}
