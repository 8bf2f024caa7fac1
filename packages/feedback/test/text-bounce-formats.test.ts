import { parseReport } from '../src/index.js';

const mail = (headers: readonly string[], ...lines: string[]) =>
  ['From: mailer-daemon@mx.example.net', ...headers, '', ...lines].join('\r\n');

const prose = (...lines: string[]) => mail(['Subject: Undelivered mail'], ...lines);

async function readClasses(raw: string): Promise<unknown> {
  const report = await parseReport(Buffer.from(raw));
  return report.kind === 'dsn' && report.recipients.map((each) => [each.address, each.class]);
}

test.each([
  [
    'DragonFly',
    [
      'This is the DragonFly Mail Agent v0.13 at mx.example.net.',
      '',
      'There was an error delivering your mail to <jane@example.net>.',
      '',
      'mx.example.net [192.0.2.1] did not like our RCPT TO:',
      '550 5.1.1 User unknown',
      '',
      'Original message follows.',
      'To: joe@example.net',
    ],
  ],
  [
    'Zoho',
    [
      'This message was created automatically by mail delivery software.',
      'A message that you sent could not be delivered.',
      '',
      'jane@example.net Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <jane@example.net>... User unknown',
    ],
  ],
  [
    'Zoho, without an enhanced code',
    [
      'This message was created automatically by mail delivery software.',
      '',
      'jane@example.net Invalid Address, ERROR_CODE :550, ERROR_CODE :Requested action not taken: mailbox unavailable',
    ],
  ],
  [
    'Communigate',
    [
      "Failed to deliver to 'jane@example.net'",
      'SMTP module(domain example.net) reports:',
      ' host mx.example.net says:',
      ' 550 5.1.1 unknown user',
    ],
  ],
  [
    'MailEnable',
    [
      'Message could not be delivered to some recipients.',
      'The following recipient(s) could not be reached:',
      '',
      '\tRecipient: [SMTP:jane@example.net]',
      '\tReason: Remote SMTP Server Returned: 550 5.1.1 User unknown',
      '',
      'Message headers follow:',
      '  Recipient: [SMTP:joe@example.net]',
    ],
  ],
  [
    'Exchange 2003',
    [
      'Your message did not reach some or all of the intended recipients.',
      '',
      'The following recipient(s) could not be reached:',
      '',
      "      'jane@example.net' on 2/24/2026 9:14 AM",
      '            The e-mail account does not exist at the organization this message was sent to.',
      '            <mx.example.net #5.1.1>',
    ],
  ],
  [
    'Exchange 2003 in German',
    [
      'Ihre Nachricht hat einige oder alle Empfänger nicht erreicht.',
      '',
      'Folgende Empfänger können nicht erreicht werden:',
      '',
      "      'jane@example.net' am 24.02.2026 09:14",
      '            Das E-Mail-Konto ist nicht vorhanden.',
      '            <mx.example.net #5.1.1 smtp;550 5.1.1 User unknown>',
    ],
  ],
  [
    'Exchange in German',
    [
      'Fehler bei der Nachrichtenzustellung an folgende Empfänger:',
      '',
      'Jane (jane@example.net)',
      'Die eingegebene Adresse wurde nicht gefunden.',
      '',
      'Diagnoseinformationen für Administratoren:',
      '',
      'Generierender Server: mx.example.net',
      '',
      'jane@example.net',
      '#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##',
    ],
  ],
])('the bounce of %s is read', async (_server, lines) => {
  const raw = mail(['Content-Type: text/plain; charset=utf-8'], ...lines);
  const fromNobody = raw.replace(/^From: .*/, 'From: MAILER-DAEMON <>');
  expect(await readClasses(fromNobody)).toEqual([['jane@example.net', 'bad_mailbox']]);
});

test.each([
  [['The following message was not delivered to: jane@example.net', '', 'Reason:', '550 5.1.1 User unknown']],
  [['Your message could not be delivered to: <jane@example.net>', '550 5.1.1 User unknown']],
])('the recipient may follow a sentence: %j', async (lines) => {
  expect(await readClasses(prose(...lines))).toEqual([['jane@example.net', 'bad_mailbox']]);
});

test('the bounce of Exchange may be html alone', async () => {
  const html = [
    '<html><body><p>Delivery has failed to these recipients or groups:</p>',
    '<p><a href="mailto:jane@example.net">Jane</a> (jane@example.net)<br>The address could not be found.</p>',
    '<p>Diagnostic information for administrators:</p><p>Generating server: mx.example.net</p>',
    '<p>jane@example.net<br>mx.example.net #&lt;#5.1.1 smtp;550 5.1.1 User unknown&gt; #SMTP#</p></body></html>',
  ];
  const raw = mail(['Content-Type: text/html'], ...html).replace('mailer-daemon', 'MicrosoftExchange329');
  expect(await readClasses(raw)).toEqual([['jane@example.net', 'bad_mailbox']]);
});

const QMAIL = [
  'Hi. This is the qmail-send program at mx.example.net.',
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  '',
];
const EXIM = 'This message was created automatically by mail delivery software.';
const AFTER_MAIL = '    SMTP error from remote mail server after MAIL FROM:<b+token@bounces.example.com> SIZE=9:';
const SENDMAIL = '   ----- The following addresses had permanent fatal errors -----';

test.each([
  ['qmail', [...QMAIL, '<jane@example.net>:', 'Connected to 192.0.2.1 but sender was rejected.', '550 user unknown']],
  ['Exim', [EXIM, '', '  jane@example.net', AFTER_MAIL, '    550 user unknown']],
  ['Exim, on one line', [EXIM, '', '  jane@example.net', `${AFTER_MAIL} 550 user unknown`]],
  ['sendmail', [SENDMAIL, '<jane@example.net>', '', '>>> MAIL From:<b@example.com>', '<<< 550 User unknown']],
  [
    'sendmail, with the reason',
    [
      SENDMAIL,
      '<jane@example.net>',
      '    (reason: 550 User unknown)',
      '',
      '>>> MAIL From:<b@example.com> SIZE=9',
      '<<< 550 User unknown',
    ],
  ],
  [
    'a server that we do not know',
    ['Delivery failed.', '', '<jane@example.net>:', 'error after MAIL FROM:<b@example.com>:', '550 5.1.1 User unknown'],
  ],
])('the refusal of the sender does not suppress the recipient: %s', async (_server, lines) => {
  expect(await readClasses(prose(...lines))).toEqual([['jane@example.net', 'unknown']]);
});

test.each([
  [
    'MailEnable',
    ['The following recipient(s) could not be reached:', '', 'Recipient: [SMTP:jane@example.net]', 'Reason: 451 Busy'],
  ],
  [
    'Exchange',
    [
      'Delivery is delayed to these recipients:',
      'Diagnostic information for administrators:',
      '',
      'jane@example.net',
      '#451 4.4.0 Retry',
    ],
  ],
])('a temporary reply in the bounce of %s is no bounce', async (_server, lines) => {
  const raw = mail([], ...lines).replace(/^From: .*/, 'From: MAILER-DAEMON <>');
  expect(await readClasses(raw)).toBe(false);
});
