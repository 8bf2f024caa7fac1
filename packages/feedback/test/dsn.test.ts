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
