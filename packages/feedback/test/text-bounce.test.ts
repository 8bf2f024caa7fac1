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
