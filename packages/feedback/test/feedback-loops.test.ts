import { feedbackLoops, findFeedbackLoop } from '../src/feedback-loops.js';

test('a feedback loop is found by the domain that signed, and by From at that domain', () => {
  const find = (signer: string, from: string) => findFeedbackLoop({ signer, from })?.provider ?? null;
  expect(find('arf.mail.yahoo.com', 'feedback@arf.mail.yahoo.com')).toBe('Yahoo');
  expect(find('senderscore.net', 'feedbackloop@comcastfbl.senderscore.net')).toBe('Validity Universal Feedback Loop');
  expect(find('senderscore.net', 'feedback@notsenderscore.net')).toBeNull();
  expect(find('arf.mail.yahoo.com', 'jane@yahoo.com')).toBeNull();
  expect(find('yahoo.com', 'feedback@arf.mail.yahoo.com')).toBeNull();
});

test('where people have mailboxes, only the exact address counts', () => {
  expect(findFeedbackLoop({ signer: 'hotmail.com', from: 'staff@hotmail.com' })?.provider).toBe('Microsoft');
  expect(findFeedbackLoop({ signer: 'hotmail.com', from: 'jane@hotmail.com' })).toBeNull();
});

test.each(feedbackLoops)('$provider has a source, and From at its domain', ({ signer, from, source }) => {
  expect(source).toMatch(/^https?:\/\//);
  expect(from === '*' || from.endsWith(`@${signer}`)).toBe(true);
});
