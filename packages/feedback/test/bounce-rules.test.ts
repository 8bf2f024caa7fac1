import { bounceClasses } from '@posthorn/contract';
import { bounceRules } from '../src/bounce-rules.js';
import { findRule, parseReply } from '../src/classify-bounce.js';

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
