import { isMachine } from '../src/is-machine.js';
import { BROWSER } from './open-test-tracking.js';

test.each([
  ['a browser', BROWSER],
  [
    'Gmail on behalf of a person',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  ],
  ['Yahoo on behalf of a person', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
  ['Outlook', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'],
  [
    'a phone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  ],
])('%s is no machine', (_, agent) => {
  expect(isMachine({ 'user-agent': agent })).toBe(false);
});

test.each([
  ['a request without an agent', undefined],
  ['an empty agent', ' '],
  ['Apple Mail Privacy Protection', 'Mozilla/5.0'],
  [
    'the prefetch of Gmail',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
  ],
  ['a crawler', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'],
  ['a script', 'python-requests/2.32.3'],
  ['curl', 'curl/8.5.0'],
])('%s is a machine', (_, agent) => {
  expect(isMachine({ 'user-agent': agent })).toBe(true);
});

test('a browser that fetches pages ahead is a machine', () => {
  expect(isMachine({ 'user-agent': BROWSER, 'sec-purpose': 'prefetch;prerender' })).toBe(true);
  expect(isMachine({ 'user-agent': BROWSER, purpose: 'prefetch' })).toBe(true);
});
