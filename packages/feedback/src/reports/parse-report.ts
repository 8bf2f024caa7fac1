import PostalMime, { type Email } from 'postal-mime';
import { parseDeliveryStatus } from './delivery-status.js';
import { toFeedbackReport, toJunkReport } from './feedback-report.js';
import { partText, textOf } from './parts.js';
import type { Report } from './report.js';
import { returnedHeaders, returnPathsIn } from './returned-message.js';
import { parseTextBounce } from './text-bounce.js';

/** No report needs more. */
const MAX_NESTING = 20;
const MAX_HEADER_BYTES = 256 * 1_024;

/** Lines cost the parser more than bytes do. Even a report of the maximum size has only a few thousand. */
const MAX_LINES = 10_000;

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];

/**
 * Reads a message that came to a return path or to the address for complaints.
 * @param raw the message as it was received (RFC 5322)
 * The lines after the first 10,000 are ignored.
 * @throws Error if its parts are nested too deeply, or its headers are too long
 */
export async function parseReport(raw: Uint8Array): Promise<Report> {
  const email = await PostalMime.parse(firstLines(raw), {
    forceRfc822Attachments: true,
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADER_BYTES,
  });
  const returned = returnedHeaders(email);
  const feedback = partText(email, ['message/feedback-report']);
  if (feedback !== null) return toFeedbackReport(feedback, returned);
  const recipients = email.attachments
    .filter(({ mimeType }) => STATUS_TYPES.includes(mimeType))
    .flatMap((part) => parseDeliveryStatus(textOf(part)));
  if (recipients.length > 0)
    return { kind: 'dsn', format: 'fields', recipients, returnPaths: returnPathsIn(returned?.get('return-path')) };
  const junk = toJunkReport(email, returned);
  if (junk) return junk;
  const fromText = parseTextBounce(email);
  if (fromText.length > 0)
    return {
      kind: 'dsn',
      format: 'text',
      recipients: fromText,
      returnPaths: returnPathsIn(returned?.get('return-path')),
    };
  return { kind: isAutoReply(email) ? 'auto_reply' : 'other' };
}

const LF = 0x0a;

function firstLines(raw: Uint8Array): Uint8Array {
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
