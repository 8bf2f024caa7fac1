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
  '550 Invalid address in From header',
  '550 The From: address is not valid',
  '550 Header From address does not exist',
  '550 HELO argument is not a valid hostname',
  '550 <mx.example.com>: Helo command rejected: Host not found',
  '550 Invalid HELO: unknown host mx.example.com',
  '554 192.0.2.1 is not a registered mail server',
  '550 192.0.2.1 is not a known host',
  '550 192.0.2.1 is not a known IP address',
  '550 Your address is unknown here',
  '550 5.1.3 Invalid sender address format',
  '550 5.1.1 Unknown sender address',
  '550 Sender not authorized, address unknown',
  '550 Your domain is not allowed to send to this server',
  '550 sending domain is not on our allowlist',
  '550 the domain is not allowed here',
  '550 this server does not accept mail from dynamic hosts',
  '550 Your mailbox is disabled for sending',
  '550 user suspended from sending mail',
  '550 Daily sending quota exceeded',
  '550 Hourly quota exceeded for this sender',
  '550 Quota exceeded for sender bounce@example.com',
  '550 5.4.5 Daily sending quota exceeded. Learn more at https://support.google.com/mail/answer/22839',
  '535 5.7.8 User unknown',
  '550 5.7.1 Relaying denied: user unknown',
  '550 You have exceeded your daily quota',
])('does not suppress the recipient: %s', (reply) => {
  expect(['bad_mailbox', 'inactive', 'bad_domain', 'mailbox_full']).not.toContain(classifyBounce(parseReply(reply)));
});

test.each([
  '554 Service no longer available',
  '554 <jane@example.net>: Service no longer available',
  '550 4.4.7 jane@example.net: recipient unreachable; message expired',
  '550 recipient unreachable; message expired',
  '554 recipient server: connection closed',
  '554 5.2.1 Message blocked due to content',
  '554 5.2.1 Message refused',
  '550 5.1.1 Mail rejected',
  '550 5.1.2 Temporary lookup failure',
  '550 Host not found: temporary lookup failure',
])('does not suppress the recipient for the moment or the message: %s', (reply) => {
  expect(['bad_mailbox', 'inactive', 'bad_domain', 'mailbox_full']).not.toContain(classifyBounce(parseReply(reply)));
});

/** `locked` is also in `blocked`, `IP` is in `recip`, and `closed` is in `undisclosed`. */
test.each([
  ['550 permanent failure for one or more recipients (jane@example.com:blocked)', 'reputation'],
  ['554 5.1.0 Recipient has blocked the sender', 'reputation'],
  ['550 Recipient has blocked you', 'reputation'],
  ['550 This user blocked your mail', 'reputation'],
  ['550 5.4.1 user blocked', 'reputation'],
  ['550 5.1.1 user blocked', 'reputation'],
  ['550 5.2.1 This mailbox has blocked you', 'reputation'],
  ['550 5.1.1 The user jane has blocked messages from you', 'reputation'],
  ['550 <jane@example.net> was rejected because you are not a member: 550 account blocked for posting', 'reputation'],
  ['550 recipient unlocked', 'unknown'],
  ['550 The address list is undisclosed', 'unknown'],
  ['550 The accounts are separate limits', 'unknown'],
  ['550 recip not found', 'unknown'],
  ['550 mailbox fully reserved', 'unknown'],
  ['550 5.7.1 unblocked', 'unknown'],
])('a part of another word does not decide: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

/** The mailbox exists, or the server does not know. */
test.each([
  ['550 5.5.3 RESOLVER.ADR.RecipLimit; too many recipients', 'protocol'],
  ['553 5.3.0 <jane@example.net>... Rejected by policy', 'reputation'],
  ['550 User unknown (spam protection)', 'content'],
  ['550 5.3.0 <jane@example.net>... User unknown to the spam filter', 'content'],
  ['550 #5.1.0 Address rejected jane@example.net because of its sender', 'unknown'],
  ['550 too many invalid addresses', 'rate'],
  ['421 too many bad recipients', 'rate'],
  ['550 5.1.1 Too many unknown recipients', 'rate'],
  ['550 High number of invalid users', 'rate'],
  ['550 Maximum number of invalid recipients reached', 'rate'],
  ['550 5.7.1 <jane@example.net>: Recipient address rejected: User jane temporary locked. Try again later!', 'unknown'],
  ['550 5.2.1 mailbox temporarily disabled', 'unknown'],
  ['550 5.1.1 RCP-P2 http://example.net Refused due to recipient preferences', 'reputation'],
  ['550 5.1.1 Address accepts only internal mail', 'unknown'],
  ['550 5.2.1 You are not allowed to send to this mailbox', 'unknown'],
  ['550 <jane@example.net>: Recipient address rejected: user quota for external mail', 'unknown'],
  ['550 5.7.1 <jane@example.net>: Recipient address rejected: user jane may not receive external mail', 'unknown'],
  ['550 5.7.1 <jane@example.net>: Recipient address rejected: user jane has no permission to receive it', 'unknown'],
  ['550 5.1.1 <jane@example.net>: undeliverable address: mail for mx.example.net loops back to myself', 'unknown'],
  [
    '550 5.1.1 <jane@example.net>: Recipient address rejected: undeliverable address: connect to mx.example.net[192.0.2.1]:25: No route to host',
    'unknown',
  ],
])('a limit, a choice or a fault of the moment does not suppress: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

test.each([
  ['553 5.3.0 <jane@example.net>... No such user here', 'bad_mailbox'],
  ['550 5.3.0 <jane@example.net>... User unknown', 'bad_mailbox'],
  ['550 #5.1.0 Address rejected jane@example.net', 'bad_mailbox'],
  ['550 5.1.0 Address rejected <jane@example.net>.', 'bad_mailbox'],
  ['550 <jane@example.net> No such user here (policy)', 'bad_mailbox'],
  ['550 Account locked', 'inactive'],
  ['550 account_disabled', 'inactive'],
  ['550 5.1.1 Mailbox gone', 'bad_mailbox'],
  ['550 User unknown; message blocked', 'bad_mailbox'],
  ['550 5.1.1 User unknown. Check the address and try again', 'bad_mailbox'],
  ['550 <jane@example.net>: Recipient address rejected: undeliverable address', 'bad_mailbox'],
  ['550 <jane@example.net>: Recipient address rejected: undeliverable address: unknown user: "jane"', 'bad_mailbox'],
  ['550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found', 'bad_mailbox'],
  ['554 5.7.1 <jane@example.net>: Recipient address rejected: User unknown', 'bad_mailbox'],
  ['550 5.1.1 Message rejected: no such user', 'bad_mailbox'],
  ['550 No such recipient here, check your address book', 'bad_mailbox'],
  ['550 jane@example.net is not a valid mailbox', 'bad_mailbox'],
  ['550 jane@example.net is no longer in use', 'inactive'],
  ['550 The domain example.net is not hosted here', 'bad_domain'],
  ['550 example.net does not accept mail', 'bad_domain'],
  ['552 Quota exceeded', 'mailbox_full'],
  ['552 5.2.2 Mailbox quota exceeded for jane@example.net', 'mailbox_full'],
])('suppresses the recipient: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});
