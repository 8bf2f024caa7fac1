import type { DeliveryAction } from './report.js';

/**
 * A form of bounce that is text alone. `mark` finds it, because a guess could declare a mailbox dead that is not. Each
 * match of `entry` is a recipient, with the groups `address` and, where the form has it, `reason`.
 */
export type TextBounceForm = {
  readonly mark: RegExp;
  readonly entry: RegExp;
  readonly action: DeliveryAction;
  /** Where what the server said is, if it is not next to the address. */
  readonly reason?: RegExp;
  readonly source: string;
};

/** The first form whose mark and entries are found decides. */
export const textBounceForms: readonly TextBounceForm[] = [
  {
    mark: /^Hi\. This is the James mail server at /m,
    entry: /^(?<address>[^\s<>]+@[^\s<>]+)\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'Apache James, RemoteDelivery',
  },
  {
    mark: /^Hi\. This is (?:the )?.*\n(?:.*\n){0,2}?.*(?:wasn't able to deliver|given up)/m,
    entry: /^<(?<address>[^<>\n]+)>:\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'qmail, "The qmail-send Bounce Message Format" (QSBMF)',
  },
  {
    mark: /^A message that you sent has not yet been delivered /m,
    entry: /^ {2}(?<address>[^\s<>]+@[^\s<>]+)\n(?<reason>(?: {4}.*\n)*)/gm,
    action: 'delayed',
    source: 'Exim, delay warning',
  },
  {
    mark: /^This message was created automatically by mail delivery software\./m,
    entry:
      /^(?: {2}(?<address>[^\s<>"]+@[^\s<>"]+)|"(?<quoted>[^\s<>"]+@[^\s<>"]+)":)\n(?<reason>(?:(?! {2}\S+@).+\n)*)/gm,
    action: 'failed',
    source: 'Exim; 1&1, GMX and web.de',
  },
  {
    mark: /^ *-+ The following addresses had (?:permanent fatal|delivery) errors -+$/m,
    entry: /^<?(?<address>[^\s<>"]+@[^\s<>"]+?)>?\n(?: *\(reason: (?<reason>.*)\))?/gm,
    action: 'failed',
    reason: /^<<< (5\d\d[ -].*)$/m,
    source: 'sendmail 8',
  },
  {
    mark: /^Delivery to the following recipients? failed permanently:$/m,
    entry: /^ {5}(?<address>[^\s<>]+@[^\s<>]+)$/gm,
    action: 'failed',
    reason: /^The error that the other server returned was:\n((?:.+\n)*)/m,
    source: 'Gmail, before it wrote delivery statuses',
  },
  {
    mark: /^was not delivered to:$/m,
    entry: /^ +(?<address>[^\s<>]+@[^\s<>]+)\n\s*because:\s*\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'HCL Domino',
  },
  {
    mark: /^--- Session Transcript ---$/m,
    entry: /^Failed address: (?<address>[^\s<>]+@[^\s<>]+)$/gm,
    action: 'failed',
    reason: /<-- (5\d\d[ -].*)$/m,
    source: 'MDaemon',
  },
];
