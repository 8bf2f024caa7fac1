import { type Reply, timeout } from './replies.js';

export type Failure = { readonly address: string; readonly reply: Reply };

/** A bounce before it is encoded. `status` is its message/delivery-status part; null if there is only text. */
export type Shape = {
  readonly from: string;
  readonly subject: string;
  readonly headers?: readonly string[];
  readonly human: string;
  readonly status: string | null;
};

export type Format = {
  readonly name: string;
  readonly action: 'failed' | 'delayed';
  /** The replies that it can be about. */
  readonly replies: readonly [Reply, ...Reply[]];
  /** Whether it is about a single recipient. */
  readonly isSingle?: true;
  readonly write: (failures: readonly Failure[]) => Shape;
};

export const HOST = 'mx.example.org';
/** The host that refused the recipients. */
export const REMOTE = 'mail.example.net';

export const lines = (...texts: string[]) => texts.join('\n');
export const writeReply = ({ code, enhanced, text }: Reply) => `${code} ${enhanced} ${text}`;

export const toPostfixLine = ({ address, reply }: Failure) =>
  reply === timeout
    ? `<${address}>: connect to ${REMOTE}[192.0.2.9]:25: ${reply.text}`
    : lines(`<${address}>: host ${REMOTE}[192.0.2.9] said: ${writeReply(reply)} (in`, '    reply to RCPT TO command)');

const POSTFIX_TEXT = lines(
  `This is the mail system at host ${HOST}.`,
  '',
  "I'm sorry to have to inform you that your message could not",
  "be delivered to one or more recipients. It's attached below.",
  '',
  'For further assistance, please send mail to postmaster.',
  '',
);

export const writePostfix = (failures: readonly Failure[], status: string | null): Shape => ({
  from: `MAILER-DAEMON@${HOST} (Mail Delivery System)`,
  subject: 'Undelivered Mail Returned to Sender',
  human: lines(
    POSTFIX_TEXT,
    '                   The mail system',
    '',
    ...failures.map((each) => `${toPostfixLine(each)}\n`),
  ),
  status,
});

export const writeExim = (failures: readonly Failure[], status: string | null): Shape => ({
  from: `Mail Delivery System <Mailer-Daemon@${HOST}>`,
  subject: 'Mail delivery failed: returning message to sender',
  headers: [
    `X-Failed-Recipients: ${failures.map(({ address }) => address).join(', ')}`,
    'Auto-Submitted: auto-replied',
  ],
  human: lines(
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    ...failures.map(({ address, reply }) =>
      lines(
        `  ${address}`,
        `    host ${REMOTE} [192.0.2.9]`,
        `    SMTP error from remote mail server after RCPT TO:<${address}>:`,
        `    ${writeReply(reply)}`,
      ),
    ),
  ),
  status,
});
