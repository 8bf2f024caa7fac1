import { buildResetMail } from '../../src/accounts/password-reset.js';
import { layOutMail, quoteAddress, quoteName } from '../../src/accounts/system-mail.js';
import { buildVerificationMail } from '../../src/accounts/verify-email.js';

const link = 'https://mail.example.com/verify?token=abc';

/** The text of the paragraphs, without the name at the top or the button label. */
const toText = (html: string) =>
  [...html.matchAll(/<p(?: style="font-size:13px[^"]*")?>(?:<a [^>]*>)?([^<]+)/g)].map(([, text]) => text);

test('both parts have the same paragraphs and the link, and the html has a button', () => {
  for (const { text, html } of [
    buildVerificationMail({ link, hours: 24 }),
    buildResetMail({ link, beginsNewWorkspace: true }),
  ]) {
    expect(toText(html).filter((part) => !['Confirm the address', 'Set a new password'].includes(part ?? ''))).toEqual(
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

const quoted = (text: string) => `\u201c${text}\u201d`;

describe('a name in an email from the service', () => {
  test.each([
    ['Acme Inc.', 'Acme Inc.'],
    ["St. Mary's & Co", "St. Mary's & Co"],
    ['Café Zoë 株式会社', 'Café Zoë 株式会社'],
    ['https://evil.example/login?x=1', 'https evil example login?x=1'],
    ['Go to www.evil.example now', 'Go to www evil example now'],
    ['evil.example', 'evil example'],
    ['mailto:help@evil.example', 'mailto help evil example'],
    ['evil\u3002example', 'evil example'],
    ['evil\uff0eexample', 'evil example'],
    ['evil\uff61example', 'evil example'],
    ['evil\u2024example', 'evil example'],
    ['evil.\u200bexample', 'evil example'],
    ['\\\\evil.example\\share', '\\ evil example share'],
    ['Acme\u201d wrote: \u201cpay now', "Acme' wrote: 'pay now"],
    ['"Acme"', "'Acme'"],
    ['a \u202e b\u0000c\nd', 'a bcd'],
  ])('%j is shown as %j, in quotes', (name, shown) => {
    expect(quoteName(name)).toBe(quoted(shown));
  });

  test('is truncated without splitting a character', () => {
    expect(quoteName('a'.repeat(60))).toBe(quoted('a'.repeat(60)));
    expect(quoteName('a'.repeat(61))).toBe(quoted(`${'a'.repeat(59)}\u2026`));
    expect(quoteName('\u{1f4ef}'.repeat(61))).toBe(quoted(`${'\u{1f4ef}'.repeat(59)}\u2026`));
  });
});

describe('an address in an email from the service', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['grace.hopper+list@xn--bcher-kva.example', 'grace.hopper+list@xn--bcher-kva.example'],
    ['evil.example/login@example.com', 'evil example login example com'],
    ['www.evil@example.com', 'www evil example com'],
    ["a'b@example.com", "a'b example com"],
  ])('%j is shown as %j, in quotes', (address, shown) => {
    expect(quoteAddress(address)).toBe(quoted(shown));
  });

  test('is truncated', () => {
    expect(quoteAddress(`${'a'.repeat(60)}@example.com`)).toBe(quoted(`${'a'.repeat(59)}\u2026`));
  });
});
