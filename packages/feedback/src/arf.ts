import type { Email } from 'postal-mime';
import { type FeedbackType, feedbackTypes, type Report } from './report.js';
import { type Fields, parseAddresses, parseFieldBlocks, parseReturnPaths } from './report-fields.js';

const ARF_COMMENT = /\([^()]*\)/g;

/**
 * Reads a report about a message that a user called spam (ARF, RFC 5965).
 * @param text the message/feedback-report part
 * @param returned the headers of the message that the report is about
 */
export function toFeedbackReport(text: string, returned: Fields | null): Report {
  const [fields = null] = parseFieldBlocks(text);
  const named = [
    ...(fields?.all('original-rcpt-to') ?? []),
    ...(fields?.all('removal-recipient') ?? []),
    ...(returned?.all(JUNK_RECIPIENT) ?? []),
    ...(returned?.all('delivered-to') ?? []),
  ];
  return {
    kind: 'feedback_report',
    feedbackType: toFeedbackType(fields?.get('feedback-type') ?? ''),
    addresses: parseAddresses(named),
    returnPaths: parseReturnPaths(returned, fields?.get('original-mail-from')),
  };
}

function toFeedbackType(value: string): FeedbackType {
  const name = value.replace(ARF_COMMENT, '').trim().toLowerCase();
  return feedbackTypes.find((type) => type === name) ?? 'other';
}

/** Where Microsoft's Junk Mail Reporting Program, which does not use ARF, names the user. */
export const JUNK_RECIPIENT = 'x-hmxmroriginalrecipient';
const JUNK_SUBJECT = /^complaint about message from /i;

/** @returns null if the message is not a report of Microsoft's Junk Mail Reporting Program */
export function toJunkReport({ headers, subject }: Email, returned: Fields | null): Report | null {
  const outer = headers.filter(({ key }) => key === JUNK_RECIPIENT).map(({ value }) => value);
  const named = [...outer, ...(returned?.all(JUNK_RECIPIENT) ?? [])];
  if (named.length === 0 && !(JUNK_SUBJECT.test(subject ?? '') && returned)) return null;
  return {
    kind: 'feedback_report',
    feedbackType: 'abuse',
    addresses: parseAddresses(named),
    returnPaths: parseReturnPaths(returned),
  };
}
