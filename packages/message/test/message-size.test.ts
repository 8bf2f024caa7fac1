import { generateKeyPairSync } from 'node:crypto';
import { measureMessage, type SizedContent, sumSizes } from '@posthorn/domain/accepting';
import { type Attachment, toAttachmentContent } from '@posthorn/domain/attachments';
import { encodeBase64Lines, encodeBody, findHeaderFault } from '@posthorn/domain/format';
import { renderContent } from '@posthorn/domain/templates';
import fc from 'fast-check';
import { buildWholeMessage } from '../src/dkim.js';
import { messageParts } from './message-parts.js';

/** The largest key in common use, which makes the longest signature. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4_096 });

/** Text that varies in everything that the choice of an encoding and the length of its lines depend on. */
const text = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom(
        ...['a', 'word ', '=', ' ', '\t', '\n', '\r', '\r\n', 'é', '語', '😀', '\u0001', '<', 'x'.repeat(70)],
      ),
      maxLength: 60,
    }),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(([unit, times]) => unit.repeat(times));

const line = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'Word ', '"', 'é', '語', '😀', '=?', ',', '  '), maxLength });
const host = fc.constantFrom('a.example', `${'mail.'.repeat(40)}example`);
const address = fc.record({
  name: fc.option(line(32)),
  address: fc.tuple(fc.constantFrom('jane', 'j'.repeat(64)), host).map(([local, domain]) => `${local}@${domain}`),
});
const headers = fc
  .dictionary(fc.constantFrom('X-A', 'List-Id', `X-${'a'.repeat(120)}`, `List-${'b'.repeat(120)}`), line(300))
  .map((all) =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => findHeaderFault(name, value) === null)),
  );
const file = fc.record({
  filename: line(120).map((name) => `${name}.pdf`),
  contentType: fc.constantFrom('application/pdf', `text/plain; name="${'a'.repeat(200)}"`),
  contentId: fc.option(fc.constantFrom('logo', 'c'.repeat(128))),
  content: fc.uint8Array({ maxLength: 500 }).map((bytes) => toAttachmentContent(Buffer.from(bytes))),
});
const vars = fc.record({ a: text, b: text });
const parsed = fc.array(fc.oneof(text, fc.record({ name: fc.constantFrom('a', 'b'), raw: fc.boolean() })), {
  maxLength: 8,
});

const raw = fc
  .record({ html: fc.option(text), text: fc.option(text) })
  .filter((bodies) => bodies.html !== null || bodies.text !== null)
  .map((bodies) => ({ ...bodies, source: null }));
const templated = fc
  .record({ parts: fc.record({ html: parsed, text: parsed }), vars })
  .map((source) => ({ html: null, text: null, source }));
type Bodies = Omit<SizedContent, 'subject'>;

const content: fc.Arbitrary<Bodies> = fc.oneof(raw, templated);

function rendered({ html, text, source }: Bodies): { html: string | null; text: string | null } {
  return source ? renderContent(source.parts, source.vars) : { html, text };
}

function build(content: Bodies, files: readonly Attachment[], others: object): Promise<Buffer> {
  const bodies = rendered(content);
  return buildWholeMessage({
    parts: messageParts({ ...others, ...bodies }),
    attachments: files.map(({ content, ...rest }) => ({
      ...rest,
      sha256: content.sha256,
      size: content.bytes.length,
      objectKey: null,
    })),
    contents: files.map(({ content }) => encodeBase64Lines(content.bytes)),
    key: { domain: 'mail.acme.example', selector: 's'.repeat(30), privateKey },
  });
}

test('no message is larger than the size that is checked on acceptance', async () => {
  const email = fc.record({
    content,
    subject: line(300),
    from: address,
    to: fc.array(address, { minLength: 1, maxLength: 5 }),
    cc: fc.array(address, { maxLength: 3 }),
    replyTo: fc.array(address, { maxLength: 2 }),
    headers,
    attachments: fc.array(file, { maxLength: 4 }),
    unsubscribeUrl: fc.option(fc.constantFrom('https://a.example/u/x', `https://a.example/u/${'x'.repeat(600)}`)),
  });
  await fc.assert(
    fc.asyncProperty(email, async ({ content, subject, attachments, headers, unsubscribeUrl, ...addresses }) => {
      const others = { ...addresses, subject, unsubscribeUrl, headers: Object.entries(headers) };
      const built = await build(content, attachments, others);
      const request = { ...addresses, headers, attachments };
      const size = measureMessage({ request, from: addresses.from, content: { subject, ...content }, unsubscribeUrl });
      expect(built.length).toBeLessThanOrEqual(sumSizes(size));
    }),
    { numRuns: 300 },
  );
});

describe('the size of a body', () => {
  const from = { name: null, address: 'hello@mail.acme.example' };
  const request = { to: [], cc: [], replyTo: [], headers: {} };
  const measureSize = (content: Bodies) => measureMessage({ request, from, content: { subject: 'Hello', ...content } });
  const measureEncodedSize = (given: string | null, endsMessage = true) =>
    given === null ? 0 : encodeBody(given, { endsMessage }).bytes.length;

  test('is never less than its encoded size, wherever the pieces of a template end', () => {
    fc.assert(
      fc.property(content, fc.boolean(), (given, endsMessage) => {
        const [{ html, text }, size] = [rendered(given), measureSize(given)];
        expect(measureEncodedSize(html, endsMessage)).toBeLessThanOrEqual(size.html);
        expect(measureEncodedSize(text, endsMessage)).toBeLessThanOrEqual(size.text);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['English', 'The quick brown fox jumps over the lazy dog. '],
    ['German', 'Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. '],
    ['Russian', 'Съешь же ещё этих мягких французских булок, да выпей чаю. '],
    ['Japanese', 'いろはにほへと ちりぬるを'],
    ['markup', '<a href="https://example.com/?a=1&b=2">Link</a>\n'],
  ])('is close to that of its encoding: %s', (_, sentence) => {
    const html = `${sentence.repeat(2_000)}${'x'.repeat(100)}`;
    expect(measureSize({ html, text: null, source: null }).html / measureEncodedSize(html)).toBeLessThan(1.05);
  });
});
