import fc from 'fast-check';
import { type Rewriting, rewriteHtml } from '../src/track-html.js';

const urls: string[] = [];

/** Replaces URLs by `T0`, `T1` and so on, and remembers them. */
const rewriting: Rewriting = {
  imageUrl: null,
  replaceUrl: (url) => `T${urls.push(url) - 1}`,
  ownUrl: 'https://mail.example.com/u/',
};

beforeEach(() => {
  urls.length = 0;
});

const rewrite = (html: string, changes: Partial<Rewriting> = {}) => rewriteHtml(html, { ...rewriting, ...changes });

test.each([
  ['double quotes', '<a href="https://shop.example/a">', '<a href="T0">', 'https://shop.example/a'],
  ['single quotes', "<a class='x' href='https://shop.example/a'>", "<a class='x' href='T0'>", 'https://shop.example/a'],
  ['no quotes', '<A HREF=https://shop.example/a/ ID=1>', '<A HREF=T0 ID=1>', 'https://shop.example/a/'],
  ['spaces around =', '<a\n\thref =\n"http://shop.example"\n>', '<a\n\thref =\n"T0"\n>', 'http://shop.example/'],
  ['white space in the value', '<a href="\n https://shop.example/a ">', '<a href="T0">', 'https://shop.example/a'],
  [
    'entities',
    '<a href="https://s.example/?a=1&amp;b=2&copy=3">',
    '<a href="T0">',
    'https://s.example/?a=1&b=2&copy=3',
  ],
  ['an entity at the end', '<a href="https://s.example/?a=&#38;">', '<a href="T0">', 'https://s.example/?a=&'],
  ['characters of other scripts', '<a href="https://s.example/ä b">', '<a href="T0">', 'https://s.example/%C3%A4%20b'],
  ['@, ! and commas', '<a href="https://s.example/@a!b,c">', '<a href="T0">', 'https://s.example/@a!b,c'],
  [
    '> in another attribute',
    '<a title="a > b" href="https://s.example/">',
    '<a title="a > b" href="T0">',
    'https://s.example/',
  ],
  [
    'the first of two',
    '<a href="https://one.example/" href="https://two.example/">',
    '<a href="T0" href="https://two.example/">',
    'https://one.example/',
  ],
  ['self-closing', '<a href="https://s.example/"/>', '<a href="T0"/>', 'https://s.example/'],
  [
    'a conditional that mail clients show',
    '<![if !mso]><a href="https://s.example/"><![endif]>',
    '<![if !mso]><a href="T0"><![endif]>',
    'https://s.example/',
  ],
])('replaces the URL of a link: %s', (_, html, rewritten, url) => {
  expect(rewrite(html)).toBe(rewritten);
  expect(urls).toEqual([url]);
});

test.each([...['data-no-track', 'ses:no-track', 'data-pm-no-track', 'mc:disable-tracking', 'disable-tracking']])(
  'an attribute %s that is false keeps nothing',
  (name) => {
    expect(rewrite(`<a ${name}="false" href="https://shop.example/">`)).toContain('href="T0"');
  },
);

test.each([
  '<a href="mailto:jane@example.com">',
  '<a href="tel:+4912345">',
  '<a href="#top">',
  '<a href="/relative">',
  '<a href="//shop.example/a">',
  '<a href="javascript:alert(1)">',
  '<a href="java\nscript:alert(1)">',
  '<a href="data:text/html,https://shop.example">',
  '<a href="https://">',
  '<a href="">',
  '<a href>',
  '<a name="x">',
  '<a href="https://shop.example/" data-no-track>',
  '<a DATA-NO-TRACK="1" href="https://shop.example/">',
  '<a clicktracking="off" href="https://shop.example/">',
  '<a href="https://shop.example/" ses:no-track>',
  '<a data-pm-no-track href="https://shop.example/">',
  '<a disable-tracking=true href="https://shop.example/">',
  '<a mc:disable-tracking href="https://shop.example/">',
  '<a data-msys-clicktrack="0" href="https://shop.example/">',
  '<a href="https://mail.example.com/u/token">',
  '<a href="https://Mail.example.com:443/u/token">',
  '<a href="http://mail.example.com/u/token">',
  '<a href="https://mail.example.com./%75/token">',
  '<a href="https://mail.example.com//u/token">',
  '<a href="https://mail.example.com/%2f/u//token">',
  '<a href="http://mail.example.com:443/u/token">',
  '<a href="https://mail.example.com:80/u/token">',
  `<a href="https://shop.example/${'x'.repeat(2_000)}">`,
  '<a href="https://shop.example/',
  '<a href="https://shop.example/"',
  '<area href="https://shop.example/"><link href="https://shop.example/"><abbr href="https://shop.example/">',
  '<!-- <a href="https://shop.example/"> -->',
  '<!--[if mso]><a href="https://shop.example/"><![endif]-->',
  '<style>a::after { content: "<a href=https://shop.example/>" }</style>',
  '<script>"<a href=https://shop.example/>"</script>',
  '<title><a href="https://shop.example/"></title>',
  '<textarea><a href="https://shop.example/"></textarea>',
  '<img alt="<a href=https://shop.example/>">',
  '</a href="https://shop.example/">',
  'https://shop.example/ href="https://shop.example/"',
])('keeps what is not a link to track: %s', (html) => {
  expect(rewrite(html)).toBe(html);
});

test.each([
  ['<p>Hi</p>', '<p>Hi</p>IMG'],
  ['<body><p>Hi</p></body></html>', '<body><p>Hi</p>IMG</body></html>'],
  ['<BODY>Hi</BODY >\n', '<BODY>HiIMG</BODY >\n'],
  ['<body>one</body>two</body>', '<body>one</body>twoIMG</body>'],
  ['<body><!-- </body> --></body>', '<body><!-- </body> -->IMG</body>'],
  ['', 'IMG'],
])('adds the image at the end of the body: %s', (html, rewritten) => {
  const image = '<img src="https://t.example/o/x" width="1" height="1" alt="" style="border:0">';
  expect(rewrite(html, { imageUrl: 'https://t.example/o/x' })).toBe(rewritten.replace('IMG', image));
});

test('throws if there are more links than can be tracked', () => {
  const link = '<a href="https://shop.example/">x</a>';
  expect(rewrite(link.repeat(1_000))).toContain('T999');
  expect(() => rewrite(link.repeat(1_001))).toThrow('too many links');
});

/** Pieces of html that break naive parsers, in any order. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '<a ',
      '<a',
      '</a>',
      '<',
      '>',
      '"',
      "'",
      '=',
      ' href=',
      ' href="',
      " href='",
      ' HREF =',
      '&amp;',
      '&',
      '&#x26;',
    ],
    ...[
      'https://shop.example/?a=1',
      'http://x',
      'mailto:a@b.example',
      '<!--',
      '-->',
      '<script>',
      '</script>',
      '<style>',
    ],
    ...[
      '</style>',
      '<title>',
      '</title>',
      '</body>',
      '<body>',
      '\n',
      ' ',
      '\r\n',
      '/',
      '<![CDATA[',
      ']]>',
      '<?',
      ' data-no-track',
    ],
    ...['\0', 'ü', '😀', '\ud83d', '<svg>', '</svg>', '<textarea>'],
  ),
  fc.string({ maxLength: 5 }),
);

test('changes nothing but the values of href, whatever the html is', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      const places: string[] = [];
      const rewritten = rewriteHtml(html, { ...rewriting, replaceUrl: (url) => `\u2603${places.push(url) - 1}\u2603` });
      const kept = rewritten.split(/\u2603\d+\u2603/);
      // What was kept is in the html, in the same order, and between two kept parts there is only an http URL.
      let at = 0;
      kept.forEach((text, index) => {
        const found = index === 0 ? 0 : html.indexOf(text, at);
        if (index > 0) expect(html.slice(at, found).trim()).toMatch(/^https?:/i);
        expect(html.startsWith(text, found)).toBe(true);
        at = found + text.length;
      });
      if (kept.length === 1) expect(rewritten).toBe(html);
    }),
    { numRuns: 3_000 },
  );
});
