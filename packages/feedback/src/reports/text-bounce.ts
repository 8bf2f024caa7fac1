import type { Email } from 'postal-mime';
import { parseReply } from '../bounce-classes/bounce-reply.js';
import { classifyBounce } from '../bounce-classes/classify-bounce.js';
import { parseRecipientAddress } from './address.js';
import type { ReportedRecipient } from './report.js';
import { type TextBounceFormat, textBounceFormats } from './text-bounce-formats.js';

/** Longer texts hold the returned message, which follows the report. */
const MAX_CHARACTERS = 20_000;
const RETURNED_MESSAGE =
  /^-+ ?(?:Original message|This is a copy of|The header of the original|Below this line|Below is a copy|Message header follows)/im;

/**
 * Reads bounces of servers that write no message/delivery-status part.
 * @returns no recipients if the message has none of the formats that we know
 */
export function parseTextBounce({ text = '' }: Email): ReportedRecipient[] {
  const [report = ''] = text.replace(/\r\n?/g, '\n').slice(0, MAX_CHARACTERS).split(RETURNED_MESSAGE);
  for (const format of textBounceFormats) {
    if (!format.marker.test(report)) continue;
    const recipients = recipientsIn(format, `${report}\n`);
    if (recipients.length > 0) return recipients;
  }
  return [];
}

function recipientsIn({ entry, action, reason }: TextBounceFormat, report: string): ReportedRecipient[] {
  const shared = reason?.exec(report)?.[1] ?? '';
  return [...report.matchAll(entry)].flatMap(({ groups = {} }) => {
    const address = parseRecipientAddress(groups.address ?? groups.quoted ?? '');
    if (address === null) return [];
    const reply = parseReply(lastServerWords(groups.reason?.trim() || shared));
    const bounceClass = action === 'failed' ? classifyBounce(reply) : null;
    return [{ address, originalAddress: null, action, reply, class: bounceClass }];
  });
}

/** Servers write their own explanation before the reply of the remote server. */
function lastServerWords(reason: string): string {
  return /(?:^|[\s:])(\d{3}[ -][\s\S]*)$/.exec(reason)?.[1] ?? reason;
}
