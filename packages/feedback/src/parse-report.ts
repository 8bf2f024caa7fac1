import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { toFeedbackReport, toJunkReport } from './arf.js';
import { parseDeliveryStatus } from './dsn.js';
import type { Report } from './report.js';
import { type Fields, parseFieldBlocks, parseReturnPaths } from './report-fields.js';
import { parseTextBounce } from './text-bounce.js';

/** No report needs more. */
const MAX_NESTING = 20;
const MAX_HEADER_BYTES = 64 * 1_024;

/** Lines cost the parser more than bytes do. What a report says comes before the message that it returns. */
const MAX_LINES = 1_500;

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];

/**
 * Reads a message that came to a return path or to the address for complaints. The lines after the first 1,500 are
 * ignored.
 * @param raw the message as it was received (RFC 5322)
 * @throws Error if its parts are nested too deeply, or its headers are too long
 */
export async function parseReport(raw: Uint8Array): Promise<Report> {
  const email = await parseMessage(raw);
  const returned = findReturnedHeaders(email);
  const returnPaths = parseReturnPaths(returned);
  const feedback = findPartText(email, ['message/feedback-report']);
  if (feedback !== null) return toFeedbackReport(feedback, returned);
  const recipients = email.attachments
    .filter(({ mimeType }) => STATUS_TYPES.includes(mimeType))
    .flatMap((part) => parseDeliveryStatus(decodePart(part)));
  if (recipients.length > 0) return { kind: 'dsn', format: 'fields', recipients, returnPaths };
  const junk = toJunkReport(email, returned);
  if (junk) return junk;
  const fromText = parseTextBounce(email);
  if (fromText.length > 0) return { kind: 'dsn', format: 'text', recipients: fromText, returnPaths };
  return { kind: isAutoReply(email) ? 'auto_reply' : 'other' };
}

/** A message as a person reads it. */
export type ReadableMessage = {
  readonly from: string | null;
  readonly subject: string | null;
  /** The html, if the message has no other text. null if it has neither. */
  readonly text: string | null;
};

/** @returns a message whose fields are null if it cannot be parsed */
export async function readMessage(raw: Uint8Array): Promise<ReadableMessage> {
  const email = await parseMessage(raw).catch(() => null);
  return {
    from: email?.from?.address ?? null,
    subject: email?.subject ?? null,
    text: email?.text?.trim() || email?.html?.trim() || null,
  };
}

function parseMessage(raw: Uint8Array): Promise<Email> {
  return PostalMime.parse(takeFirstLines(raw), {
    forceRfc822Attachments: true,
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADER_BYTES,
  });
}

const LF = 0x0a;

function takeFirstLines(raw: Uint8Array): Uint8Array {
  let end = -1;
  for (let line = 0; line < MAX_LINES; line += 1) {
    end = raw.indexOf(LF, end + 1);
    if (end === -1) return raw;
  }
  return raw.subarray(0, end + 1);
}

/** RFC 3834, 5, and what servers wrote before it. */
function isAutoReply({ headers }: Email): boolean {
  return headers.some(
    ({ key, value }) =>
      (key === 'auto-submitted' && !/^no\b/i.test(value)) ||
      (key === 'precedence' && /auto_?reply/i.test(value)) ||
      ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress'].includes(key),
  );
}

/** @returns the decoded text of the first part with one of these types; null if there is none */
function findPartText(email: Email, types: readonly string[]): string | null {
  const part = email.attachments.find(({ mimeType }) => types.includes(mimeType));
  return part ? decodePart(part) : null;
}

function decodePart({ content }: Attachment): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** Reports return the whole message or its headers (RFC 3462, 2; RFC 6533, 5), or nothing. */
const RETURNED_TYPES = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'];

/** @returns the headers of the message that a report returns; null if there is none */
function findReturnedHeaders(email: Email): Fields | null {
  const [headers = null] = parseFieldBlocks(findPartText(email, RETURNED_TYPES)?.trimStart() ?? '');
  return headers;
}
