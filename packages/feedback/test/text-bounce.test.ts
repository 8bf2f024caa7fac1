import { parseReport } from '../src/index.js';

const bounce = (from: string) =>
  [
    `From: Jane <${from}>`,
    'Subject: Fwd: failure notice',
    '',
    'Hi. This is the qmail-send program at mx.example.net.',
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    "This is a permanent error; I've given up.",
    '',
    '<jane@example.net>:',
    'Sorry, no mailbox here by that name. (#5.1.1)',
  ].join('\r\n');

test('a forwarded bounce of the sender of the mail does not count', async () => {
  expect(await parseReport(Buffer.from(bounce('jane@example.net')))).toEqual({ kind: 'other' });
  expect(await parseReport(Buffer.from(bounce('mailer-daemon@mx.example.net')))).toMatchObject({ kind: 'dsn' });
});

const prose = (...lines: string[]) =>
  ['From: mailer-daemon@mx.example.net', 'Subject: Undelivered mail', '', ...lines].join('\r\n');

async function readClasses(raw: string): Promise<unknown> {
  const report = await parseReport(Buffer.from(raw));
  return report.kind === 'dsn' && report.recipients.map((each) => [each.address, each.class]);
}

test.each([
  ['after', ['<jane@example.net>: 550 5.1.1 User unknown', '<joe@example.net>: host mx said: 554 5.7.1 Spam']],
  [
    'before',
    ['550 5.1.1 User unknown:', '  <jane@example.net>', '554 5.7.1 Message rejected as spam:', '  <joe@example.net>'],
  ],
])('in a format that we do not know, each recipient has the reply %s the address', async (_where, lines) => {
  expect(await readClasses(prose('Your message could not be delivered.', '', ...lines))).toEqual([
    ['jane@example.net', 'bad_mailbox'],
    ['joe@example.net', 'content'],
  ]);
});

test('recipients that share one reply have its class', async () => {
  const lines = [
    'Your message could not be delivered to:',
    '  jane@example.net',
    '  joe@example.net',
    '',
    '552 5.2.2 Over quota',
  ];
  expect(await readClasses(prose(...lines))).toEqual([
    ['jane@example.net', 'mailbox_full'],
    ['joe@example.net', 'mailbox_full'],
  ]);
});

const FAILED = 'Your message could not be delivered.';

test.each([
  [
    'behind it',
    ['<jane@example.net>: host mx said: 550 5.1.1 User unknown', '<joe@example.net>: connection timed out'],
  ],
  ['below it', ['<joe@example.net>:', 'connection timed out', '', '<jane@example.net>:', '', '550 5.1.1 User unknown']],
  ['above it', ['550 5.1.1 User unknown:', '  <jane@example.net>', 'Connection timed out:', '  <joe@example.net>']],
])('a reply that one recipient has %s does not count for another', async (_where, lines) => {
  const read = new Map((await readClasses(prose(FAILED, '', ...lines))) as [string, string][]);
  expect(read).toEqual(
    new Map([
      ['jane@example.net', 'bad_mailbox'],
      ['joe@example.net', 'unknown'],
    ]),
  );
});

test.each([
  [
    'sendmail',
    [
      '   ----- The following addresses had permanent fatal errors -----',
      '<jane@example.net>',
      '<joe@example.net>',
      '',
      '   ----- Transcript of session follows -----',
      '>>> RCPT To:<jane@example.net>',
      '<<< 550 5.1.1 User unknown',
      '>>> RCPT To:<joe@example.net>',
      '<<< 554 5.7.1 blocked by policy',
    ],
    'reputation',
  ],
  [
    'sendmail, without the commands',
    [
      '   ----- The following addresses had permanent fatal errors -----',
      '<jane@example.net>',
      '<joe@example.net>',
      '',
      '<<< 550 5.1.1 <jane@example.net>... User unknown',
      '<<< 554 5.7.1 blocked by policy',
    ],
    'unknown',
  ],
  [
    'MDaemon',
    [
      '--- Session Transcript ---',
      ' 10:14:05: [1:3] --> RCPT To:<jane@example.net>',
      ' 10:14:05: [1:3] <-- 550 5.1.1 Recipient unknown',
      ' 10:14:05: [1:3] --> RCPT To:<joe@example.net>',
      ' 10:14:05: [1:3] <-- 250 OK',
      'Failed address: jane@example.net',
      'Failed address: joe@example.net',
    ],
    'unknown',
  ],
])('each recipient has its own reply in the session of %s', async (_server, lines, other) => {
  expect(await readClasses(prose(...lines))).toEqual([
    ['jane@example.net', 'bad_mailbox'],
    ['joe@example.net', other],
  ]);
});

test('a reply to the whole message counts for all recipients of a session', async () => {
  const lines = [
    '   ----- The following addresses had permanent fatal errors -----',
    '<jane@example.net>',
    '<joe@example.net>',
    '',
    '>>> DATA',
    '<<< 552 5.3.4 Message is too large',
  ];
  expect(await readClasses(prose(...lines))).toEqual([
    ['jane@example.net', 'content'],
    ['joe@example.net', 'content'],
  ]);
});
