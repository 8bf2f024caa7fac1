import type { DeliveryAction } from './report.js';

/**
 * A bounce format without a message/delivery-status part. `marker` identifies it exactly, because a wrong guess could
 * suppress a working mailbox. Each match of `entry` is a recipient, with the groups `address` and, where the format has
 * it, `reason`.
 */
export type TextBounceFormat = {
  readonly marker: RegExp;
  readonly entry: RegExp;
  readonly action: DeliveryAction;
  /** Where what the server said is, if it is not next to the address. */
  readonly reason?: RegExp;
  readonly source: string;
};

/** The first format whose marker and entries are found decides. */
export const textBounceFormats: readonly TextBounceFormat[] = [
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
