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

test('a colon may follow the code', async () => {
  const lines = ['<jane@yahoo.com>:', "554: delivery error: dd This user doesn't have a yahoo.com account"];
  expect(await readClasses(prose(FAILED, '', ...lines))).toEqual([['jane@yahoo.com', 'bad_mailbox']]);
});

const mail = (headers: readonly string[], ...lines: string[]) =>
  ['From: mailer-daemon@mx.example.net', ...headers, '', ...lines].join('\r\n');

test('a bounce may be html alone', async () => {
  const html = [
    '<html><head><title>Undelivered</title><style>p { color: red }</style></head><body>',
    '<p>Your message could not be delivered.</p><!-- <p>joe@example.net:</p> -->',
    '<p><b>&lt;jane@example.net&gt;</b>:<br>550&nbsp;5.1.1 User',
    'unknown</p></body></html>',
  ];
  expect(await readClasses(mail(['Content-Type: text/html'], ...html))).toEqual([['jane@example.net', 'bad_mailbox']]);
});

test('html that is not closed or escaped is read', async () => {
  const open = '<style><!--<p <b '.repeat(5_000);
  const long = `<p>Not rejected</p>${'&nbsp;'.repeat(20_000)}x`;
  expect(await readClasses(mail(['Content-Type: text/html'], long, open))).toBe(false);
  const html = ['Your message could not be delivered.<br><jane@example.net>:<br>550 User unknown', open];
  expect(await readClasses(mail(['Content-Type: text/html'], ...html))).toEqual([['jane@example.net', 'bad_mailbox']]);
});

test('html is read up to its 10,000th tag', async () => {
  const failed = 'Your message could not be delivered.<br>&lt;jane@example.net&gt;:<br>550 User unknown';
  const read = (tags: number) => readClasses(mail(['Content-Type: text/html'], '<b></b>'.repeat(tags / 2), failed));
  expect(await read(9_000)).toEqual([['jane@example.net', 'bad_mailbox']]);
  expect(await read(11_000)).toBe(false);
});

const FAILED_RECIPIENTS = 'X-Failed-Recipients: jane@example.net';

test('X-Failed-Recipients says nothing if the text cannot be read, unless the subject does', async () => {
  const unreadable = [FAILED_RECIPIENTS, 'Content-Type: '];
  expect(await readClasses(mail(unreadable, 'Delivery has been delayed'))).toBe(false);
  expect(await readClasses(mail([...unreadable, 'Subject: Delivery failed'], 'x'))).toEqual([
    ['jane@example.net', 'unknown'],
  ]);
});

test.each([
  ['Die Nachricht konnte nicht zugestellt werden:', '550 5.1.1 User unknown', 'bad_mailbox'],
  ["Votre message n'a pas pu être remis au destinataire.", '', 'unknown'],
])('X-Failed-Recipients says that it failed in any language: %s', async (sentence, reply, bounceClass) => {
  const raw = mail([FAILED_RECIPIENTS, 'Content-Type: text/plain; charset=utf-8'], sentence, reply);
  expect(await readClasses(raw)).toEqual([['jane@example.net', bounceClass]]);
});

test.each([
  ['Your message could not be delivered for 4 hours. We are going to attempt it for 3 more days.'],
  ['Your message could not be delivered. Delivery will be attempted again.'],
  ['Your message could not be delivered yet. The server continues to try.'],
  ['Die Zustellung verzögert sich.'],
  ['Le message est retardé.'],
  ['Zustellung fehlgeschlagen. Wir versuchen es erneut.'],
  ['Your message has not been delivered for 4 hours. You do not need to resend it.'],
  ['Delivery failed, but there is no need to re-send the message.'],
  ['Delivery failed temporarily, the message stays in the queue: 451 4.3.0 Try later'],
  ['Delivery failed. We will send again in one hour: 421 Busy'],
  ['Delivery failed. The message will be delivered later.'],
  ['Delivery failed temporarily.'],
  ['Delivery failed for now.'],
  ['Delivery failed. Another attempt will be made in one hour.'],
  ['Delivery failed. The message will be resent.'],
  ['Zustellung derzeit nicht möglich.'],
  ['Livraison impossible pour le moment.'],
  ['A mensagem ainda não foi entregue.'],
  ['Il messaggio non è ancora stato consegnato.'],
  ['Сообщение пока не доставлено.'],
  ['まだ配信できていません。'],
  ['邮件尚未送达。'],
  ['A entrega falhou por um problema temporário. O servidor vai tentar novamente.'],
  ['La consegna è stata rinviata.'],
  ['La consegna non è riuscita. Il server farà un nuovo tentativo.'],
  ['メールはまだ配信されていません。再送を試みます。'],
  ['配信が遅延しています。'],
  ['Доставка отложена. Сервер повторит попытку.'],
  ['Временная ошибка доставки.'],
  ['邮件投递延迟，系统稍后会重试。'],
  ['Die Zustellung ist vorübergehend nicht möglich.'],
  ['Your message was rejected by our content filter and placed in quarantine.'],
])('a warning of a server that will try again is no bounce: %s', async (sentence) => {
  const raw = mail([FAILED_RECIPIENTS, 'Content-Type: text/plain; charset=utf-8'], '<jane@example.net>:', '', sentence);
  expect(await readClasses(raw)).toBe(false);
});

test.each([
  ['Delivery failed temporarily 40 times. Giving up.', '421 4.4.2 Timed out', 'unknown'],
  ['There were temporary failures, and the retries are exhausted. Delivery failed.', '', 'unknown'],
  ['After temporary problems, delivery has failed.', '550 5.1.1 User unknown', 'bad_mailbox'],
])('a server that gave up after temporary failures writes a bounce: %s', async (sentence, reply, bounceClass) => {
  expect(await readClasses(prose(sentence, '', '<jane@example.net>:', reply))).toEqual([
    ['jane@example.net', bounceClass],
  ]);
});

test.each([
  ['Your parcel delivery failed', 'Please tell us your new address.'],
  ['Delivery of your shipment has failed', 'We will keep it for you.'],
  ['Notice', 'We failed to deliver your parcel. Please collect it.'],
])('a notice about other things than mail is no bounce: %s. %s', async (subject, sentence) => {
  const raw = mail([`Subject: ${subject}`], sentence, '', 'jane@example.net');
  expect(await readClasses(raw.replace('mailer-daemon', 'postmaster'))).toBe(false);
});

test('a bounce of mail about a parcel is one', async () => {
  const named = ['Your message "Your parcel" could not be delivered.', '', 'jane@example.net:'];
  expect(await readClasses(prose(...named))).toEqual([['jane@example.net', 'unknown']]);
  const raw = mail(['Subject: Your parcel'], 'Failed.', '', 'jane@example.net:', '550 5.1.1 User unknown');
  expect(await readClasses(raw)).toEqual([['jane@example.net', 'bad_mailbox']]);
});

test.each([
  ['Доставка не удалась. Такого пользователя нет.'],
  ['メールを配信できませんでした。'],
  ['邮件无法投递，收件人不存在。'],
  ['A mensagem não pôde ser entregue.'],
  ['Impossibile consegnare il messaggio.'],
])('X-Failed-Recipients with a final text is a bounce: %s', async (sentence) => {
  const raw = mail([FAILED_RECIPIENTS, 'Content-Type: text/plain; charset=utf-8'], sentence);
  expect(await readClasses(raw)).toEqual([['jane@example.net', 'unknown']]);
});

test.each([
  ['Your message was not rejected, but we do not know you.'],
  ['Your message has not been rejected. Reply to this message.'],
  ['Your message is being held. If you do not confirm your address, it will be rejected.'],
])('a challenge is no bounce: %s', async (sentence) => {
  const raw = mail(['Auto-Submitted: auto-replied'], sentence, '', '<jane@example.net>:');
  expect(await parseReport(Buffer.from(raw))).toEqual({ kind: 'auto_reply' });
});
