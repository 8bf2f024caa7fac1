import { bounceClasses } from '@posthorn/contract';
import { bounceRules } from '../src/bounce-rules.js';
import { classifyBounce, findRule, parseReply } from '../src/classify-bounce.js';

test.each(bounceRules.flatMap((rule, index) => rule.samples.map((sample) => [index, sample] as const)))(
  'rule %i is the first one that matches: %s',
  (index, sample) => {
    const found = findRule(parseReply(sample));
    expect(found && bounceRules.indexOf(found)).toBe(index);
  },
);

test('every class has a rule', () => {
  const classes = new Set(bounceRules.map((rule) => rule.class));
  expect(bounceClasses.filter((name) => !classes.has(name))).toEqual([]);
});

test.each([
  ['550-User unknown. For help see: 550 https://mx.example.net', 'bad_mailbox'],
  ['550-5.7.1 Blocked. The reason is: 550 5.7.1 see https://mx.example.net', 'reputation'],
  ["5.1.0 - Unknown address error 550-'5.7.1 Message refused by our policy'", 'reputation'],
  ['550 5.1.1 User unknown -> 550 5.7.1 Client host [192.0.2.1] blocked using Spamhaus', 'reputation'],
])('the innermost reply decides, not the last line of one: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

test.each([
  ['550 User unknown. See our antispam policy at https://mx.example.net/policy', 'bad_mailbox'],
  ['550 User unknown, please visit https://mx.example.net/spf-and-dkim', 'bad_mailbox'],
  ['550 User unknown (https://mx.example.net/spam)', 'bad_mailbox'],
  ['550 Recipient unknown. Please check your server settings', 'bad_mailbox'],
  ['550 5.1.1 No such user. For more information about our policy, contact us', 'bad_mailbox'],
  ['550 <spf@example.net>: User unknown', 'bad_mailbox'],
  ['550 <policy@example.net>: User unknown', 'bad_mailbox'],
  ['550 spam@example.net: mailbox is no longer in use', 'inactive'],
  ['550 5.1.1 <info@spamhaus.org>: Recipient address rejected: User unknown', 'bad_mailbox'],
  ['host d1.barracudanetworks.com[192.0.2.1] said: 550 5.1.1 User unknown', 'bad_mailbox'],
  ['554 Refused, see https://www.spamhaus.org/query/ip/192.0.2.1', 'reputation'],
  ['550 Refused. Please check your SPF record', 'authentication'],
  ['550 Refused, see https://mx.example.net/user-unknown', 'unknown'],
  ['550 <user-unknown@example.net> refused', 'unknown'],
  ['550 Mailbox unavailable. See our spam policy', 'content'],
])('words in addresses, links and advice do not decide: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

test.each([
  ['550 5.1.1 See http://www.sorbs.net/lookup?192.0.2.1', 'reputation'],
  ['550 5.1.3 http://www.spamhaus.org/query/bl?ip=192.0.2.1', 'reputation'],
  ['550 5.2.1 http://bl.example/lookup', 'reputation'],
  ['550 5.1.1 Rejected. See http://www.spamhaus.org/query', 'reputation'],
  ['550 5.1.1 Refused: https://mx.example.net/spf', 'authentication'],
  [
    '550-Requested action not taken: mailbox unavailable 550 http://gmx.example/?ip=192.0.2.1&c=rdnsf',
    'authentication',
  ],
  ['550-Requested action not taken: mailbox unavailable 550 http://gmx.example/?ip=192.0.2.1&c=r0103', 'reputation'],
  ['550-Requested action not taken: mailbox unavailable 550 http://gmx.example/?ip=192.0.2.1&c=bm', 'bad_mailbox'],
  ['550 5.1.1 https://support.google.com/mail/?p=NoSuchUser', 'bad_mailbox'],
  ['550 5.2.1 Account disabled. See https://mx.example.net/spam-policy', 'inactive'],
])('a link outranks a code, but not words about the mailbox: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

test.each([
  ['451 Account inbounds disabled - https://mx.example.net/docs#451', 'unknown'],
  ['450 4.2.1 mailbox temporarily locked', 'rate'],
  ['421 4.2.1 mailbox temporarily disabled', 'rate'],
  ['450 4.1.1 <jane@example.net>: Recipient address rejected: User unknown', 'unknown'],
  ['450 5.1.1 User unknown', 'unknown'],
  ['450 Requested mail action not taken: mailbox unavailable', 'unknown'],
  ['452 4.2.2 The recipient is over quota and inactive', 'mailbox_full'],
])('a reply that says "try later" does not suppress at once: %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});

test.each([
  ['host mx.example.net[192.0.2.1] said: 550 User unknown (in reply to MAIL FROM command)'],
  ['host mx.example.net[192.0.2.1] said: 550 5.1.1 User unknown (in reply to EHLO command)'],
  ['SMTP error from remote mail server after pipelined MAIL FROM:<b+token@bounces.example.com>: 550 user unknown'],
  ['SMTP error from remote mail server after initial connection: 550 mailbox unavailable'],
])('a reply to a command about us does not suppress: %s', (reply) => {
  expect(['unknown', 'authentication']).toContain(classifyBounce(parseReply(reply)));
});

test.each([
  ['550 unable to get mx info: failed to get IPs from PTR record: lookup: i/o timeout', 'unknown'],
  ['550 5.7.1 see our list of blocked attachments', 'content'],
  ['550 5.7.1 refused, in our block list 192.0.2.1', 'reputation'],
  ['554 No MX records for example.net', 'bad_domain'],
  ['450 No MX found: try again', 'unknown'],
])('%s is %s', (reply, bounceClass) => {
  expect(classifyBounce(parseReply(reply))).toBe(bounceClass);
});
