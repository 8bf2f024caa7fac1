import { type Address, AddressError, findHeaderFault, parseAddress } from '@posthorn/domain/format';
import fc from 'fast-check';
import PostalMime, { decodeWords } from 'postal-mime';
import { buildMessage, type MessageParts } from '../src/build-message.js';
import { messageParts } from './message-parts.js';

const lines = (message: Buffer) => message.toString('latin1').split('\r\n');

/** Line ends may change in transit, and the parser drops a CR before one. */
const withLf = (text: string) => text.replace(/\r*\n/g, '\n');

/** The line end before a boundary belongs to the boundary (RFC 2046, 5.1.1), but postal-mime adds it to the part. */
function expectPart(parsed: string | undefined, given: string | null): void {
  const text = given ?? '';
  expect([withLf(text), withLf(`${text}\n`)]).toContain(withLf(parsed ?? ''));
}

describe('buildMessage', () => {
  test('writes text and html as alternatives, text first', () => {
    expect(lines(buildMessage(messageParts()))).toEqual([
      'From: Acme <hello@mail.example.com>',
      'To: Jane Doe <jane@example.com>',
      'Subject: Hello',
      'Date: Sat, 21 Nov 2026 08:00:00 +0000',
      'Message-ID: <019aa5f2-3c00-7d11-8a6e-2f1c4b7d9e01@mail.example.com>',
      'X-Email-ID: 019aa5f2-3c00-7d11-8a6e-2f1c4b7d9e01',
      'MIME-Version: 1.0',
      expect.stringMatching(/^Content-Type: multipart\/alternative; boundary="=_[0-9a-f]{24}"$/),
      '',
      expect.stringMatching(/^--=_[0-9a-f]{24}$/),
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hello Jane',
      '',
      expect.stringMatching(/^--=_[0-9a-f]{24}$/),
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      '<p>Hello Jane</p>',
      '',
      expect.stringMatching(/^--=_[0-9a-f]{24}--$/),
      '',
    ]);
  });

  test.each([
    ['text', 'text/plain', { html: null }],
    ['html', 'text/html', { text: null }],
  ])('writes %s alone as the only part', (_, type, changes) => {
    const message = buildMessage(messageParts(changes)).toString();
    expect(message).toContain(`\r\nContent-Type: ${type}; charset=utf-8\r\n`);
    expect(message).not.toContain('multipart');
  });

  test('writes cc, reply_to and custom headers', () => {
    const message = buildMessage(
      messageParts({
        cc: [{ name: null, address: 'bob@example.com' }],
        replyTo: [{ name: 'Help', address: 'help@example.com' }],
        headers: [['List-Unsubscribe', '<https://example.com/u>']],
      }),
    );
    expect(lines(message)).toEqual(
      expect.arrayContaining([
        'Cc: bob@example.com',
        'Reply-To: Help <help@example.com>',
        'List-Unsubscribe: <https://example.com/u>',
      ]),
    );
  });

  test('writes the headers of one-click unsubscribe, each on one line', () => {
    const url = `https://mail.example.com/u/${'x'.repeat(500)}`;
    const written = lines(buildMessage(messageParts({ unsubscribeUrl: url })));
    expect(written.filter((line) => line.startsWith('List-'))).toEqual([
      `List-Unsubscribe: <${url}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    expect(buildMessage(messageParts()).toString()).not.toContain('List-');
  });

  test('builds the same bytes for the same email, and a different boundary for a different email', () => {
    const message = buildMessage(messageParts());
    expect(buildMessage(messageParts())).toEqual(message);
    const boundary = /boundary="(.+)"/.exec(message.toString())?.[1] as string;
    expect(buildMessage(messageParts({ messageId: 'other@example.com' })).toString()).not.toContain(boundary);
  });

  test('uses a different boundary if a part contains the first one', async () => {
    const boundary = /boundary="(.+)"/.exec(buildMessage(messageParts()).toString())?.[1];
    const text = `--${boundary}\nContent-Type: text/html\n\n<p>Pay here</p>\n--${boundary}--\n`;
    const parsed = await PostalMime.parse(buildMessage(messageParts({ text })));
    expectPart(parsed.text, text);
    expectPart(parsed.html, '<p>Hello Jane</p>\n');
  });

  test('needs text or html', () => {
    expect(() => buildMessage(messageParts({ text: null, html: null }))).toThrow('text, html or both');
  });
});

describe('buildMessage refuses', () => {
  const address = 'jane@example.com';
  const breaks = [
    '\r\nBcc: evil@example.com',
    '\nBcc: evil@example.com',
    '\rBcc: evil@example.com',
    '\r\n\r\n<p>',
    '\0',
  ];

  test.each<[what: string, inject: (text: string) => Partial<MessageParts>]>([
    ['subject', (text) => ({ subject: `Hello${text}` })],
    ['name in from', (text) => ({ from: { name: `Jane${text}`, address } })],
    ['name in to', (text) => ({ to: [{ name: `Jane${text}`, address }] })],
    ['address in from', (text) => ({ from: { name: null, address: `${address}${text}` } })],
    ['address in to', (text) => ({ to: [{ name: null, address: `${address}${text}` }] })],
    ['address in cc', (text) => ({ cc: [{ name: 'Jane', address: `a${text}@example.com` }] })],
    ['address in reply_to', (text) => ({ replyTo: [{ name: 'Jane', address: `a${text}@example.com` }] })],
    ['custom value', (text) => ({ headers: [['X-Test', `a${text}`]] })],
    ['custom name', (text) => ({ headers: [[`X-Test${text}`, 'a']] })],
    ['message id', (text) => ({ messageId: `a${text}@example.com` })],
    ['email id', (text) => ({ emailId: `a${text}` })],
  ])('a line break or NUL in the %s', (_, inject) => {
    for (const text of breaks) expect(() => buildMessage(messageParts(inject(text)))).toThrow();
  });

  test.each([
    'a@example.com, evil@example.com',
    'a@example.com>, <evil@example.com',
    'a@example.com evil@example.com',
    '"evil@example.com, a"@example.com',
    'a@example.com (evil)',
    'usér@example.com',
    'a@bücher.example',
    '=?utf-8?q?evil=40example.com=3e?=@example.com',
    'example.com',
    '',
  ])('the address %j', (evil) => {
    expect(() => buildMessage(messageParts({ to: [{ name: null, address: evil }] }))).toThrow(
      'To must contain plain ASCII addresses',
    );
  });

  test.each([
    'Bcc',
    'bcc',
    'From',
    'Content-Type',
    'Content-Transfer-Encoding',
    'MIME-Version',
    'X-Email-ID',
    'X Y',
    'X:',
    '',
  ])('the custom header %j', (name) => {
    expect(() => buildMessage(messageParts({ headers: [[name, 'x']] }))).toThrow('The header');
  });

  test('an invalid date', () => {
    expect(() => buildMessage(messageParts({ date: new Date('soon') }))).toThrow('valid date');
  });
});

/** Both ordinary and malformed text. */
const oneLine = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '=', '?', '_', '"', '\\', '<', '@', ',', 'ü', '🚀', 'ש', '\u202e', '=?utf-8?Q?a?='),
    maxLength: 300,
  }),
  fc.lorem({ maxCount: 100 }),
);

const body = fc.oneof(
  fc
    .array(oneLine, { maxLength: 20 })
    .chain((parts) =>
      fc.constantFrom('\n', '\r\n', '\n\n', ' \n', '\t\r\n', '\n.\n', '\nFrom ').map((glue) => parts.join(glue)),
    ),
  fc.string({
    unit: fc.constantFrom(
      'a',
      '=',
      ' ',
      '\t',
      '\n',
      '\r\n',
      '.',
      '-',
      '--',
      '=_',
      '\r',
      '\u0000',
      '\u007f',
      'é',
      '🚀',
      'ש',
    ),
    maxLength: 500,
  }),
  fc.string({ unit: fc.constantFrom('x', 'yz', '\n'), minLength: 900, maxLength: 2_500 }),
  fc.string({ unit: 'binary', maxLength: 500 }),
);

const address = fc
  .tuple(fc.oneof(oneLine, fc.constant('')), fc.stringMatching(/^[a-z0-9+_=]{1,20}$/), fc.domain())
  .map(([name, local, domain]): Address | null => {
    try {
      return parseAddress(`"${name.replace(/["\\]/g, '\\$&')}" <${local}@${domain}>`);
    } catch (error) {
      if (error instanceof AddressError) return null;
      throw error;
    }
  })
  .filter((parsed): parsed is Address => parsed !== null);

const customHeader = fc
  .tuple(fc.stringMatching(/^X-[A-Za-z0-9-]{1,120}$/), oneLine)
  .filter(([name, value]) => findHeaderFault(name, value) === null);

const anyParts = fc
  .record({
    subject: oneLine,
    from: address,
    to: fc.array(address, { minLength: 1, maxLength: 10 }),
    cc: fc.array(address, { maxLength: 3 }),
    replyTo: fc.array(address, { maxLength: 2 }),
    html: fc.option(body),
    text: fc.option(body),
    headers: fc.uniqueArray(customHeader, { maxLength: 3, selector: ([name]) => name.toLowerCase() }),
  })
  .filter(({ html, text }) => html !== null || text !== null)
  .map(messageParts);

describe('any message', () => {
  test('is parsed back into its parts', async () => {
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const parsed = await PostalMime.parse(buildMessage(parts));
        const given = (addresses: readonly Address[]) =>
          addresses.map(({ name, address }) => ({ name: name ?? '', address }));
        expect(parsed.subject ?? '').toBe(parts.subject);
        expect([parsed.from]).toEqual(given([parts.from]));
        expect(parsed.to).toEqual(given(parts.to));
        expect(parsed.cc ?? []).toEqual(given(parts.cc));
        expect(parsed.replyTo ?? []).toEqual(given(parts.replyTo));
        expect(parsed.messageId).toBe(`<${parts.messageId}>`);
        expect(new Date(parsed.date as string)).toEqual(parts.date);
        for (const [name, value] of parts.headers) {
          const header = parsed.headers.find(({ key }) => key === name.toLowerCase());
          expect(decodeWords(header?.value ?? '')).toBe(value);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('preserves html or text except for line endings', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (content) => {
        const { html } = await PostalMime.parse(buildMessage(messageParts({ html: content, text: null })));
        const { text } = await PostalMime.parse(buildMessage(messageParts({ html: null, text: content })));
        expect([withLf(html ?? ''), withLf(text ?? '')]).toEqual([withLf(content), withLf(content)]);
      }),
      { numRuns: 500 },
    );
  });

  test('preserves html and text together', async () => {
    await fc.assert(
      fc.asyncProperty(body, body, async (html, text) => {
        const parsed = await PostalMime.parse(buildMessage(messageParts({ html, text })));
        expectPart(parsed.html, html);
        expectPart(parsed.text, text);
      }),
      { numRuns: 500 },
    );
  });

  test('is ASCII in lines of at most 998 characters that end with CRLF', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const message = buildMessage(parts).toString('latin1');
        expect(message).toMatch(/^[\t\r\n\x20-\x7e]*\r\n$/);
        expect(message).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
        expect(Math.max(...message.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
      }),
      { numRuns: 500 },
    );
  });

  test('has each built-in header and each custom header exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const parsed = await PostalMime.parse(buildMessage(parts));
        const expected = ['from', 'to', 'subject', 'date', 'message-id', 'x-email-id', 'mime-version', 'content-type'];
        if (parts.cc.length > 0) expected.push('cc');
        if (parts.replyTo.length > 0) expected.push('reply-to');
        if (parts.html === null || parts.text === null) expected.push('content-transfer-encoding');
        expected.push(...parts.headers.map(([name]) => name.toLowerCase()));
        expect(parsed.headers.map(({ key }) => key).sort()).toEqual(expected.sort());
      }),
      { numRuns: 500 },
    );
  });
});
