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
