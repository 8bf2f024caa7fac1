import { classifyBounce, parseReply } from '../src/index.js';

/** These replies mention an account, a sender or an address of ours. They must not suppress the recipient. */
test.each([
  '550 5.7.1 Your account has been disabled',
  '554 5.7.1 Sending for this account has been suspended',
  '553 5.1.7 Sender address invalid',
  '550 5.1.7 <bounce@example.com>: Sender address rejected: undeliverable address',
  '550 5.1.7 <bounce@example.com>: Sender address rejected: User unknown',
  '550 5.1.8 Sender address rejected: Domain not found',
  '450 4.1.8 <bounce@example.com>: Sender address rejected: Domain not found',
  '550 Sender verify failed: user unknown',
  '550 5.7.1 Relaying denied. IP address not found in authorized list',
  '550 5.7.1 IP address unknown, contact postmaster',
  '550 relay not permitted: unknown user',
  '550 5.7.1 certificate for recipient host expired',
  '550 Your account is suspended',
  '535 5.7.8 Error: account disabled',
  '550-Requested action not taken: mailbox unavailable\n550 Invalid DNS MX or A/AAAA resource record.',
  '550 Requested action not taken: mailbox unavailable. Sender has too many complaints',
  '550 Mailbox unavailable: too many recipients',
  '550 mailbox not available, message refused by the filter of the domain',
  '550 Refused. Your IP 192.0.2.1 is on our list; user unknown to the sender rules',
])('does not suppress the recipient: %s', (reply) => {
  expect(['bad_mailbox', 'inactive', 'bad_domain', 'mailbox_full']).not.toContain(classifyBounce(parseReply(reply)));
});
