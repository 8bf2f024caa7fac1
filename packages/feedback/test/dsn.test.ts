import { parseDeliveryStatus } from '../src/dsn.js';

const read = (...lines: string[]) => parseDeliveryStatus(lines.join('\n'));

test.each([
  ['5.1.1', '550 5.7.1 Message rejected', 'unknown'],
  ['5.2.1', '554 5.7.1 Message refused', 'unknown'],
  ['5.1.1', '550 5.2.2 Over quota', 'mailbox_full'],
  ['5.7.1', '550 5.1.1 User unknown', 'bad_mailbox'],
  ['5.1.1', '550 5.0.0 Refused', 'unknown'],
  ['5.1.1', '550 Refused', 'unknown'],
  ['5.1.1', '550', 'bad_mailbox'],
  ['5.1.1', '550 <jane@example.net>', 'bad_mailbox'],
  ['5.1.1', '550 User unknown', 'bad_mailbox'],
  ['5.1.1', '550 Requested action not taken: mailbox unavailable', 'bad_mailbox'],
  ['5.2.1', '550 Account disabled', 'inactive'],
  ['5.1.1', '450 4.1.1 User unknown', 'unknown'],
  ['5.1.1', '450 Mailbox unavailable', 'unknown'],
  ['4.2.1', 'User unknown', 'rate'],
  ['4.2.2', 'User unknown', 'unknown'],
  ['5.2.2', '552 Mailbox full', 'mailbox_full'],
  ['5.1.1', 'X-Postfix; delivery failed', 'bad_mailbox'],
])('with Status %s, the reply %s has the class %s', (status, reply, bounceClass) => {
  const lines = ['Final-Recipient: rfc822; jane@example.net', 'Action: failed', `Status: ${status}`];
  expect(read(...lines, `Diagnostic-Code: smtp; ${reply}`)).toMatchObject([{ class: bounceClass }]);
});

const readAddresses = (...lines: string[]) =>
  read(...lines).map(({ originalAddress, address }) => [originalAddress, address]);

const FAILED = ['Action: failed', 'Status: 5.1.1'];
const ORIGINAL = 'Original-Recipient: rfc822; list@example.net';
const JANE = 'Final-Recipient: rfc822; jane@example.net';
const JOE = 'Final-Recipient: rfc822; joe@example.net';

test.each([
  [
    'the first has a field that the second has not',
    [ORIGINAL, JANE, ...FAILED, JOE, ...FAILED],
    [
      ['list@example.net', 'jane@example.net'],
      [null, 'joe@example.net'],
    ],
  ],
  [
    'the first begins with another field',
    ['Action: failed', JANE, 'Status: 5.1.1', JOE, ...FAILED],
    [
      [null, 'jane@example.net'],
      [null, 'joe@example.net'],
    ],
  ],
  [
    'the original address follows the final one',
    [JANE, ORIGINAL, ...FAILED, JOE, ORIGINAL, ...FAILED],
    [
      ['list@example.net', 'jane@example.net'],
      ['list@example.net', 'joe@example.net'],
    ],
  ],
  [
    'the second has a field that the first has not',
    [JOE, ...FAILED, ORIGINAL, JANE, ...FAILED],
    [
      [null, 'joe@example.net'],
      ['list@example.net', 'jane@example.net'],
    ],
  ],
  ['one has a field twice', [JANE, ...FAILED, 'Status: 5.0.0'], [[null, 'jane@example.net']]],
  [
    'some have them',
    [JOE, ...FAILED, '', ORIGINAL, JANE, ...FAILED, JOE, ...FAILED],
    [
      [null, 'joe@example.net'],
      ['list@example.net', 'jane@example.net'],
      [null, 'joe@example.net'],
    ],
  ],
])('recipients without blank lines between them are separated: %s', (_case, lines, addresses) => {
  expect(readAddresses(...lines)).toEqual(addresses);
});

test.each([
  ['failure', '4.4.7', 'failed'],
  ['Failed (expired)', '4.4.7', 'failed'],
  ['delay', '5.0.0', 'delayed'],
  ['other', '4.4.7', 'delayed'],
])('the action %s with the status %s is %s', (action, status, expected) => {
  expect(read(JANE, `Action: ${action}`, `Status: ${status}`)).toMatchObject([{ action: expected }]);
});

test.each([
  ['550 Administrative prohibition'],
  ['550 Access denied'],
  ['550 Denied'],
  ['550 Not allowed'],
  ['550 Rejected by filter'],
  ['550 REJECTED - no reason given'],
  ['550 Your mail was classified as bulk'],
  ['550 Suspicious message, rejected'],
  ['550 We do not accept bulk mail'],
  ['550 This message scored 15.2 points'],
  ['550 Cannot accept attachments'],
  ['550 System is not accepting mail from you'],
  ['550 Error: Message content'],
  ['550-Denied'],
  ['Not allowed'],
  ['553 http://www.spamhaus.org/query/bl?ip=192.0.2.1'],
  ['550 https://www.uceprotect.net/rblcheck'],
  ['550 https://mx.example.net/why'],
])('a Status that the reporting server has guessed does not suppress if the reply has words: %s', (reply) => {
  for (const status of ['5.1.1', '5.1.2', '5.1.3', '5.2.1', '5.2.2']) {
    const [jane] = read(JANE, 'Action: failed', `Status: ${status}`, `Diagnostic-Code: smtp; ${reply}`);
    expect(['bad_mailbox', 'inactive', 'bad_domain', 'mailbox_full']).not.toContain(jane?.class);
  }
});
