import type { Email } from 'postal-mime';
import { parseReply } from '../bounce-classes/bounce-reply.js';
import { classifyBounce } from '../bounce-classes/classify-bounce.js';
import { parseAddress } from './address.js';
import type { ReportedRecipient } from './report.js';
import { type TextBounceForm, textBounceForms } from './text-bounce-forms.js';

/** Longer texts hold the returned message, which follows the report. */
const MAX_CHARACTERS = 20_000;
const RETURNED_MESSAGE =
  /^-+ ?(?:Original message|This is a copy of|The header of the original|Below this line|Below is a copy|Message header follows)/im;

/**
 * Reads bounces of servers that write no message/delivery-status part.
 * @returns no recipients if the message has none of the forms that we know
 */
export function parseTextBounce({ text = '' }: Email): ReportedRecipient[] {
  const [report = ''] = text.replace(/\r\n?/g, '\n').slice(0, MAX_CHARACTERS).split(RETURNED_MESSAGE);
  for (const form of textBounceForms) {
    if (!form.mark.test(report)) continue;
    const recipients = recipientsIn(form, `${report}\n`);
    if (recipients.length > 0) return recipients;
  }
  return [];
}

function recipientsIn({ entry, action, reason }: TextBounceForm, report: string): ReportedRecipient[] {
  const shared = reason?.exec(report)?.[1] ?? '';
  return [...report.matchAll(entry)].flatMap(({ groups = {} }) => {
    const address = parseAddress(groups.address ?? groups.quoted ?? '');
    if (address === null) return [];
    const reply = parseReply(lastServerWords(groups.reason?.trim() || shared));
    const bounceClass = action === 'failed' ? classifyBounce(reply) : null;
    return [{ address, originalAddress: null, action, reply, class: bounceClass }];
  });
}

/** Servers put their own words before the reply that they got. */
function lastServerWords(reason: string): string {
  return /(?:^|[\s:])(\d{3}[ -][\s\S]*)$/.exec(reason)?.[1] ?? reason;
}
