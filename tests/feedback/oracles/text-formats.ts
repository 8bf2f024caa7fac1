import { type Format, HOST, lines, writeExim, writePostfix, writeReply } from './format.js';
import { delayReply, type Reply, replies, timeout } from './replies.js';

/** Google Groups writes the same text whatever the reason is. */
const groupsReply: Reply = { name: 'no-access', code: 550, enhanced: '5.7.1', text: '', class: 'unknown' };

/** Bounces that are only text for people. */
export const textFormats: readonly Format[] = [
  {
    name: 'postfix-text',
    action: 'failed',
    replies: [...replies, timeout],
    write: (failures) => writePostfix(failures, null),
  },
  { name: 'exim-text', action: 'failed', replies, write: (failures) => writeExim(failures, null) },
  {
    name: 'exim-delay',
    action: 'delayed',
    replies: [delayReply],
    write: (failures) => ({
      from: `Mail Delivery System <Mailer-Daemon@${HOST}>`,
      subject: 'Warning: message 1kXyZ-0001 delayed 24 hours',
      headers: ['Auto-Submitted: auto-replied'],
      human: lines(
        'This message was created automatically by mail delivery software.',
        'A message that you sent has not yet been delivered to one or more of its',
        `recipients after more than 24 hours on the queue on ${HOST}.`,
        '',
        'The address to which the message has not yet been delivered is:',
        '',
        ...failures.map(({ address }) => `  ${address}`),
        '',
        'No action is required on your part. Delivery attempts will continue for',
        'some time, and this warning may be repeated at intervals if the message',
        'remains undelivered.',
      ),
      status: null,
    }),
  },
  {
    name: 'qmail',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `MAILER-DAEMON@${HOST}`,
      subject: 'failure notice',
      human: lines(
        `Hi. This is the qmail-send program at ${HOST}.`,
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.",
        '',
        ...failures.map(({ address, reply }) =>
          lines(
            `<${address}>:`,
            '192.0.2.9 does not like recipient.',
            `Remote host said: ${writeReply(reply)}`,
            'Giving up on 192.0.2.9.',
            '',
          ),
        ),
      ),
      status: null,
    }),
  },
  {
    name: 'yahoo-text',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: 'MAILER-DAEMON@yahoo.example',
      subject: 'Failure Notice',
      human: lines(
        'Sorry, we were unable to deliver your message to the following address.',
        '',
        ...failures.map(({ address, reply }) => lines(`<${address}>:`, `${writeReply(reply)}`, '')),
      ),
      status: null,
    }),
  },
  {
    name: 'sendmail-text',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `Mail Delivery Subsystem <MAILER-DAEMON@${HOST}>`,
      subject: 'Returned mail: User unknown',
      human: lines(
        'The original message was received at Thu, 19 Nov 2026 08:15:00 GMT',
        'from localhost [127.0.0.1]',
        '',
        '   ----- The following addresses had permanent fatal errors -----',
        ...failures.map(({ address, reply }) => lines(`<${address}>`, `    (reason: ${writeReply(reply)})`)),
        '',
      ),
      status: null,
    }),
  },
  {
    name: 'google-groups',
    action: 'failed',
    replies: [groupsReply],
    isSingle: true,
    write: (failures) => ({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      headers: [
        'Auto-Submitted: auto-replied',
        'X-Google-Smtp-Source: APXvYqx7yVVJvAcPpZ3d8eZ9',
        `X-Failed-Recipients: ${failures.map(({ address }) => address).join(', ')}`,
      ],
      human: lines(
        'Hello shop@example.com,',
        '',
        `We're writing to let you know that the group you tried to contact (${failures[0]?.address.split('@')[0]})`,
        'may not exist, or you may not have permission to post messages to the group.',
        "A few more details on why you weren't able to post:",
        '',
        ' * You might have spelled or formatted the group name incorrectly.',
        ' * The owner of the group may have removed this group.',
        ' * You may need to join the group before receiving permission to post.',
        ' * This group may not be open to posting.',
        '',
        'If you have questions related to this or any other Google Group,',
        'visit the Help Center at https://groups.google.com/support/.',
        '',
        'Thanks,',
        '',
        'Google Groups',
        '',
        '----- Original message -----',
        '',
        `To: ${failures[0]?.address}`,
        'Subject: Hello',
      ),
      status: null,
    }),
  },
  {
    name: 'james-text',
    action: 'failed',
    replies: replies,
    write: (failures) => ({
      from: `postmaster@${HOST}`,
      subject: 'Re: Hello',
      human: lines(
        `Hi. This is the James mail server at ${HOST}.`,
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        "This is a permanent error; I've given up. Sorry it didn't work out.  Below",
        'I include the list of recipients and the reason why I was unable to deliver',
        'your message.',
        '',
        ...failures.map(({ address, reply }) => lines(address, 'Remote mail server told me:', writeReply(reply), '')),
        '',
        'The original message is attached.',
      ),
      status: null,
    }),
  },
];
