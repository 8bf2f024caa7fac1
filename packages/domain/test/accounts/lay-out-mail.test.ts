import { layOutMail } from '../../src/accounts/lay-out-mail.js';
import { resetMail } from '../../src/accounts/reset-mail.js';
import { verificationMail } from '../../src/accounts/verification-mail.js';

const link = 'https://mail.example.com/verify?token=abc';

/** The text of the paragraphs, without the name at the top or the button label. */
const textOf = (html: string) =>
  [...html.matchAll(/<p(?: style="font-size:13px[^"]*")?>(?:<a [^>]*>)?([^<]+)/g)].map(([, text]) => text);

test('both parts have the same paragraphs and the link, and the html has a button', () => {
  for (const { text, html } of [verificationMail({ link, hours: 24 }), resetMail({ link, removesAccess: true })]) {
    expect(textOf(html).filter((part) => !['Confirm the address', 'Set a new password'].includes(part ?? ''))).toEqual(
      text.trim().split('\n\n'),
    );
    expect(html.match(/href="[^"]*"/g)).toEqual([`href="${link}"`, `href="${link}"`]);
  }
});

test('text is escaped in the html', () => {
  const { text, html } = layOutMail({ subject: '<b>', before: ['"A" & <i>B</i>'], after: [] });
  expect(text).toBe('"A" & <i>B</i>\n');
  expect(html).toContain('<p>&quot;A&quot; &amp; &lt;i&gt;B&lt;/i&gt;</p>');
  expect(html).not.toContain('<i>');
  expect(html).toContain('<title>&lt;b&gt;</title>');
});
