import { splitAddresses } from '../../src/emails/compose/draft.js';

test.each([
  ['', []],
  ['a@example.com', ['a@example.com']],
  [
    'a@example.com, b@example.com;c@example.com\nd@example.com,',
    ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'],
  ],
  ['Doe, Jane <jane@example.com>, b@example.com', ['Doe, Jane <jane@example.com>', 'b@example.com']],
  ['"at@home, inc" <a@example.com>, b@example.com', ['"at@home, inc" <a@example.com>', 'b@example.com']],
  [', ,\n', []],
])('splits %j', (text, addresses) => {
  expect(splitAddresses(text)).toEqual(addresses);
});
