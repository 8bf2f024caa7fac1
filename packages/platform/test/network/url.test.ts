import { parseUrl } from '@posthorn/platform/network';

/** Node has optimized a function long before it was called this many times. */
const CALLS = 50_000;

test('a URL with letters outside of ASCII stays valid, however often it is parsed', () => {
  const wrong = Array.from({ length: CALLS }, () => parseUrl('https://bücher.example/straße')?.href).filter(
    (href) => href !== 'https://xn--bcher-kva.example/stra%C3%9Fe',
  );
  expect(wrong).toEqual([]);
});

test.each(['', 'example.com', 'https://', 'https://exa mple.com'])('%p is not a URL', (text) => {
  expect(parseUrl(text)).toBeNull();
});
