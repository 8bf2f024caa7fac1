import { isSameOriginPath } from '../../src/ui/search.js';

Object.assign(globalThis, { location: new URL('https://mail.example.com/login') });

test.each(['/', '/emails?to=jane%40example.com', '/emails/1#attempts', '/?next=//elsewhere.example'])(
  '%s stays on this site',
  (path) => {
    expect(isSameOriginPath(path)).toBe(true);
  },
);

test.each([
  '',
  'emails',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '\\/elsewhere.example',
  'https://elsewhere.example/',
  'https://mail.example.com/',
  'javascript:alert(1)',
])('%j is rejected', (path) => {
  expect(isSameOriginPath(path)).toBe(false);
});
