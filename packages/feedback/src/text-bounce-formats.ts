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
  /**
   * Matches what the server said, in a format that has it in a transcript and not next to the address, as the group
   * `reply`. The group `recipient` is there if it follows the `RCPT` of one, and `toSender` if it follows a command about
   * us.
   */
  readonly session?: RegExp;
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
    session:
      /(?:^>>> (?:RCPT To:\s*<(?<recipient>[^<>\n]*)>|(?<toSender>MAIL|EHLO|HELO)\b).*\n)?^<<< (?<reply>5\d\d[ -].*)$/gim,
    source: 'sendmail 8',
  },
  {
    marker: /^Delivery to the following recipients? failed permanently:$/m,
    entry: /^ {5}(?<address>[^\s<>]+@[^\s<>]+)$/gm,
    action: 'failed',
    session: /^The error that the other server returned was:\n(?<reply>(?:.+\n)*)/gm,
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
    session:
      /(?:--> (?:RCPT To:\s*<(?<recipient>[^<>\n]*)>|(?<toSender>MAIL|EHLO|HELO)\b).*\n.*)?<-- (?<reply>5\d\d[ -].*)$/gim,
    source: 'MDaemon',
  },
  {
    marker: /^This is the DragonFly Mail Agent /m,
    entry: /^There was an error delivering your mail to <(?<address>[^<>\n]+)>\.\n\s*(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'DragonFly Mail Agent',
  },
  {
    marker: /^This message was created automatically by mail delivery software\./m,
    entry: /^(?<address>[^\s<>"@]+@[^\s<>"@]+) .*\bERROR_CODE :5\d\d, ERROR_CODE :(?<reason>.*)$/gm,
    action: 'failed',
    source: 'Zoho Mail',
  },
  {
    marker: /^Failed to deliver to '/m,
    entry: /^Failed to deliver to '<?(?<address>[^\s<>'@]+@[^\s<>'@]+)>?'\n(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'Communigate Pro',
  },
  {
    marker: /^The following recipient\(s\) could not be reached:$/m,
    entry:
      /^[ \t]*Recipient: \[SMTP:(?<address>[^\s\]@]+@[^\s\]@]+)\]\n\s*Reason: (?!.*\b4\d\d )(?<reason>(?:.+\n)*)/gm,
    action: 'failed',
    source: 'MailEnable',
  },
  {
    marker: /^(?:Your message did not reach some|Ihre Nachricht hat einige) /m,
    entry: /^[ \t]*'?(?<address>[^\s<>'@]+@[^\s<>'@]+)'? (?:on|am) \d.*\n(?<reason>(?:[ \t]*\S.*\n)*)/gm,
    action: 'failed',
    source: 'Exchange 2003, English and German',
  },
  {
    marker: /^(?:Diagnostic information for administrators|Diagnoseinformationen für Administratoren):$/im,
    entry:
      /^<?(?<address>[^\s<>()@]+@[^\s<>()@]+)>?\n+(?<reason>.*(?<![\d.])5(?:\d\d |\.\d{1,3}\.\d{1,3}).*(?:\n.+)*)/gm,
    action: 'failed',
    source: 'Exchange 2007 and later, English and German',
  },
];
