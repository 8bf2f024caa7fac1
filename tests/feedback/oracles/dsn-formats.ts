import {
  type Failure,
  type Format,
  HOST,
  lines,
  REMOTE,
  toPostfixLine,
  writeExim,
  writePostfix,
  writeReply,
} from './format.js';
import { delayReply, replies } from './replies.js';

/** The fields of RFC 3464. `write` adds those of one recipient. */
function toStatus(failures: readonly Failure[], write: (failure: Failure) => string[]): string {
  const blocks = failures.map((failure) => lines(...write(failure)));
  return [lines(`Reporting-MTA: dns; ${HOST}`, 'Arrival-Date: Thu, 19 Nov 2026 08:15:00 +0000'), ...blocks].join(
    '\n\n',
  );
}

function toFields({ address, reply }: Failure, action = 'failed'): string[] {
  return [
    `Final-Recipient: rfc822; ${address}`,
    `Original-Recipient: rfc822;${address}`,
    `Action: ${action}`,
    `Status: ${reply.enhanced}`,
    `Remote-MTA: dns; ${REMOTE}`,
    `Diagnostic-Code: smtp; ${writeReply(reply)}`,
  ];
}

/** Bounces with fields for programs. */
export const dsnFormats: readonly Format[] = [
  {
    name: 'postfix',
    action: 'failed',
    replies: replies,
    write: (failures) =>
      writePostfix(
        failures,
        toStatus(failures, (failure) => toFields(failure)),
      ),
  },
  {
    name: 'postfix-delay',
    action: 'delayed',
    replies: [delayReply],
    write: (failures) => ({
      from: `MAILER-DAEMON@${HOST} (Mail Delivery System)`,
      subject: 'Delayed Mail (still being retried)',
      human: lines(
        `This is the mail system at host ${HOST}.`,
        '',
        '####################################################################',
        '# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #',
        '####################################################################',
        '',
        ...failures.map((each) => `${toPostfixLine(each)}\n`),
      ),
      status: toStatus(failures, (failure) => toFields(failure, 'delayed')),
    }),
  },
  {
    name: 'exim',
    action: 'failed',
    replies: replies,
    write: (failures) =>
      writeExim(
        failures,
        toStatus(failures, ({ address, reply }) => [
          'Action: failed',
          `Final-Recipient: rfc822;${address}`,
          'Status: 5.0.0',
          `Remote-MTA: dns; ${REMOTE}`,
          `Diagnostic-Code: smtp; ${writeReply(reply)}`,
        ]),
      ),
  },
  {
    name: 'sendmail',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `Mail Delivery Subsystem <MAILER-DAEMON@${HOST}>`,
      subject: 'Returned mail: see transcript for details',
      headers: ['Auto-Submitted: auto-generated (failure)'],
      human: lines(
        'The original message was received at Thu, 19 Nov 2026 08:15:00 GMT',
        'from localhost [127.0.0.1]',
        '',
        '   ----- The following addresses had permanent fatal errors -----',
        ...failures.map(({ address, reply }) => lines(`<${address}>`, `    (reason: ${writeReply(reply)})`)),
        '',
        '   ----- Transcript of session follows -----',
        `... while talking to ${REMOTE}.:`,
        ...failures.map(({ address, reply }) =>
          lines(`>>> RCPT To:<${address}>`, `<<< ${writeReply(reply)}`, `550 5.1.1 <${address}>... User unknown`),
        ),
      ),
      status: toStatus(failures, (failure) => toFields(failure)),
    }),
  },
  {
    name: 'exchange-online',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `<MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@${HOST}>`,
      subject: 'Undeliverable: Hello',
      headers: ['X-MS-Exchange-Message-Is-Ndr:', 'Auto-Submitted: auto-replied'],
      human: lines(
        'Delivery has failed to these recipients or groups:',
        '',
        ...failures.map(({ address, reply }) => lines(`${address}<mailto:${address}>`, reply.text, '')),
        'Diagnostic information for administrators:',
        '',
        `Generating server: ${HOST}`,
        '',
        ...failures.map(({ address, reply }) =>
          lines(
            address,
            `Remote Server returned '${reply.code} ${reply.enhanced} <${REMOTE} #${reply.enhanced} smtp; ${writeReply(reply)}>'`,
            '',
          ),
        ),
      ),
      status: toStatus(failures, ({ address, reply }) => [
        `Final-recipient: RFC822; ${address}`,
        'Action: failed',
        `Status: ${reply.enhanced}`,
        `Diagnostic-code: smtp;${writeReply(reply)}`,
        `Remote-MTA: dns;${REMOTE}`,
      ]),
    }),
  },
  {
    name: 'gmail',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      headers: [
        `X-Failed-Recipients: ${failures.map(({ address }) => address).join(', ')}`,
        'Auto-Submitted: auto-replied',
      ],
      human: lines(
        '** Message blocked **',
        '',
        ...failures.map(({ address, reply }) =>
          lines(
            `Your message to ${address} has been blocked. See technical details below`,
            '',
            'The response was:',
            writeReply(reply),
            '',
          ),
        ),
      ),
      status: toStatus(failures, ({ address, reply }) => [
        `Final-Recipient: rfc822; ${address}`,
        'Action: failed',
        `Status: ${reply.enhanced}`,
        `Remote-MTA: dns; ${REMOTE}. (192.0.2.9, the server for the domain example.net.)`,
        `Diagnostic-Code: smtp; ${reply.code}-${reply.enhanced} ${reply.text} For more`,
        ` information, go to ${reply.code} ${reply.enhanced} https://support.example.net/mail`,
        'Last-Attempt-Date: Thu, 19 Nov 2026 08:15:02 -0800 (PST)',
      ]),
    }),
  },
  {
    name: 'opensmtpd',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `Mailer Daemon <MAILER-DAEMON@${HOST}>`,
      subject: 'Delivery status notification: error',
      human: lines(
        '    Hi !',
        '',
        `    This is the MAILER-DAEMON, please DO NOT REPLY to this email.`,
        '',
        '    An error has occurred while attempting to deliver a message for',
        '    the following list of recipients:',
        '',
        ...failures.map(({ address, reply }) => `${address}: ${writeReply(reply)}`),
      ),
      status: toStatus(failures, ({ address, reply }) => [
        `Final-Recipient: rfc822; ${address}`,
        'Action: failed',
        `Status: ${reply.enhanced}`,
        `Diagnostic-Code: smtp; ${writeReply(reply)}`,
      ]),
    }),
  },
  {
    name: 'courier',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `"Courier mail server at ${HOST}" <@>`,
      subject: 'NOTICE: mail delivery status.',
      human: lines(
        `This is a delivery status notification from ${HOST},`,
        'running the Courier mail server, version 1.0.6.',
        '',
        'The original message was received on Thu, 19 Nov 2026 08:15:00 +0000',
        '',
        '                           UNDELIVERABLE MAIL',
        '',
        'Your message to the following recipients cannot be delivered:',
        '',
        ...failures.map(({ address, reply }) =>
          lines(`<${address}>:`, `    ${REMOTE} [192.0.2.9]:`, '>>> RCPT TO:', `<<< ${writeReply(reply)}`, ''),
        ),
      ),
      status: toStatus(failures, ({ address, reply }) => [
        `Final-Recipient: rfc822; ${address}`,
        'Action: failed',
        'Status: 5.0.0',
        `Diagnostic-Code: smtp; ${writeReply(reply)}`,
      ]),
    }),
  },
  {
    name: 'powermta',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `<postmaster@${HOST}>`,
      subject: 'Delivery report',
      human: lines(
        'Hello, this is the mail server on example.org.',
        '',
        'I am sending you this message to inform you on the delivery status of a',
        'message you previously sent.  Immediately below you will find a list of',
        'the affected recipients;  also attached is a Delivery Status Notification',
        '(DSN) report in standard format, as well as the headers of the original',
        'message.',
        '',
        ...failures.map(({ address }) => `<${address}>  delivery failed; will not continue trying`),
      ),
      status: toStatus(failures, ({ address, reply }) => [
        `Final-Recipient: rfc822;${address}`,
        'Action: failed',
        `Status: ${reply.enhanced} (undefined status)`,
        `Remote-MTA: dns;${REMOTE} (192.0.2.9)`,
        `Diagnostic-Code: smtp;${writeReply(reply)}`,
        'X-PowerMTA-BounceCategory: other',
      ]),
    }),
  },
];
