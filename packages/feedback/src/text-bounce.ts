import type { Email } from 'postal-mime';
import { classifyBounce, parseReply } from './classify-bounce.js';
import type { DeliveryAction, ReportedRecipient } from './report.js';
import { parseRecipientAddress } from './report-fields.js';

/**
 * A bounce format without a message/delivery-status part. `marker` identifies it exactly, because a wrong guess could
 * suppress a working mailbox. Each match of `entry` is a recipient, with the groups `address` and, where the format has
 * it, `reason`.
 */
type TextBounceFormat = {
  readonly marker: RegExp;
  readonly entry: RegExp;
  readonly action: DeliveryAction;
  /** Where what the server said is, if it is not next to the address. */
  readonly reason?: RegExp;
  readonly source: string;
};

/** The first format whose marker and entries are found decides. */
const textBounceFormats: readonly TextBounceFormat[] = [
  {
    marker: /^Hi\. This is the James mail server at /m,
    entry: /^(?<address>[^\s<>]+@[^\s<>]+)\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'Apache James, RemoteDelivery',
  },
  {
    marker: /^Hi\. This is (?:the )?.*\n(?:.*\n){0,2}?.*(?:wasn't able to deliver|given up)/m,
    entry: /^<(?<address>[^<>\n]+)>:\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'qmail, "The qmail-send Bounce Message Format" (QSBMF)',
  },
  {
    marker: /^A message that you sent has not yet been delivered /m,
    entry: /^ {2}(?<address>[^\s<>]+@[^\s<>]+)\n(?<reason>(?: {4}.*\n)*)/gm,
    action: 'delayed',
    source: 'Exim, delay warning',
  },
  {
    marker: /^This message was created automatically by mail delivery software\./m,
    entry:
      /^(?: {2}(?<address>[^\s<>"]+@[^\s<>"]+)|"(?<quoted>[^\s<>"]+@[^\s<>"]+)":)\n(?<reason>(?:(?! {2}\S+@).+\n)*)/gm,
    action: 'failed',
    source: 'Exim; 1&1, GMX and web.de',
  },
  {
    marker: /^ *-+ The following addresses had (?:permanent fatal|delivery) errors -+$/m,
    entry: /^<?(?<address>[^\s<>"]+@[^\s<>"]+?)>?\n(?: *\(reason: (?<reason>.*)\))?/gm,
    action: 'failed',
    reason: /^<<< (5\d\d[ -].*)$/m,
    source: 'sendmail 8',
  },
  {
    marker: /^Delivery to the following recipients? failed permanently:$/m,
    entry: /^ {5}(?<address>[^\s<>]+@[^\s<>]+)$/gm,
    action: 'failed',
    reason: /^The error that the other server returned was:\n((?:.+\n)*)/m,
    source: 'Gmail, before it wrote delivery statuses',
  },
  {
    marker: /^was not delivered to:$/m,
    entry: /^ +(?<address>[^\s<>]+@[^\s<>]+)\n\s*because:\s*\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'HCL Domino',
  },
  {
    marker: /^--- Session Transcript ---$/m,
    entry: /^Failed address: (?<address>[^\s<>]+@[^\s<>]+)$/gm,
    action: 'failed',
    reason: /<-- (5\d\d[ -].*)$/m,
    source: 'MDaemon',
  },
];

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
    const recipients = listRecipients(format, `${report}\n`);
    if (recipients.length > 0) return recipients;
  }
  return [];
}

function listRecipients({ entry, action, reason }: TextBounceFormat, report: string): ReportedRecipient[] {
  const shared = reason?.exec(report)?.[1] ?? '';
  return [...report.matchAll(entry)].flatMap(({ groups = {} }) => {
    const address = parseRecipientAddress(groups.address ?? groups.quoted ?? '');
    if (address === null) return [];
    const reply = parseReply(findServerReply(groups.reason?.trim() || shared));
    const bounceClass = action === 'failed' ? classifyBounce(reply) : null;
    return [{ address, originalAddress: null, action, reply, class: bounceClass }];
  });
}

/** Servers write their own explanation before the reply of the remote server. */
function findServerReply(reason: string): string {
  return /(?:^|[\s:])(\d{3}[ -][\s\S]*)$/.exec(reason)?.[1] ?? reason;
}
