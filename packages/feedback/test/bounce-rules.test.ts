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

test('every class but unknown has a rule', () => {
  const classes = new Set(bounceRules.map((rule) => rule.class));
  expect(bounceClasses.filter((name) => !classes.has(name))).toEqual(['unknown']);
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
