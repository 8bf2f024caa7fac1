import { parseDeliveryStatus } from '../src/dsn.js';

const read = (...lines: string[]) => parseDeliveryStatus(lines.join('\n'));

test.each([
  ['5.1.1', '550 5.7.1 Message rejected', 'unknown'],
  ['5.2.1', '554 5.7.1 Message refused', 'unknown'],
  ['5.1.1', '550 5.2.2 Over quota', 'mailbox_full'],
  ['5.7.1', '550 5.1.1 User unknown', 'bad_mailbox'],
  ['5.1.1', '550 5.0.0 Refused', 'bad_mailbox'],
  ['5.1.1', '550 Refused', 'bad_mailbox'],
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
