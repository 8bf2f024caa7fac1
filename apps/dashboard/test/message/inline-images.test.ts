import { embedImages } from '../../src/message/inline-images.js';

const logo = { name: 'logo.gif', type: 'image/gif', contentId: 'logo', content: new Uint8Array([71, 73, 70]) };

test('an image of the message becomes a data URL', () => {
  expect(embedImages('<img src="cid:logo">', [logo])).toBe('<img src="data:image/gif;base64,R0lG">');
});

test.each([
  ['<img src="cid:lost">', '<img src="data:,">'],
  ["<img alt=x src = 'CID:lost@example.com'>", "<img alt=x src = 'data:,'>"],
  ['<img src=cid:lost>', '<img src=data:,>'],
  ['<td background="cid:lost">', '<td background="data:,">'],
  ['<p style="background: url(cid:lost)">', '<p style="background: url(data:,)">'],
  ['<p style="background: url(&quot;cid:lost&quot;)">', '<p style="background: url(&quot;data:,&quot;)">'],
])('%s has no image to load', (html, expected) => {
  expect(embedImages(html, [logo])).toBe(expected);
});

test('text about cid: URLs stays as it is', () => {
  const html = '<p>Write cid:lost in the src attribute.</p>';
  expect(embedImages(html, [logo])).toBe(html);
});
