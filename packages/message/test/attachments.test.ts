import { createHash, randomBytes } from 'node:crypto';
import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import { encodeBase64Lines, measureBase64 } from '@posthorn/domain/format';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { buildPieces, type MessageParts } from '../src/build-message.js';
import { formatParameter } from '../src/header.js';
import { messageParts } from './message-parts.js';

type File = ClaimedAttachment & { readonly bytes: Buffer };

function file(
  filename: string,
  { size = 100, contentType = 'application/pdf', contentId = null as string | null } = {},
): File {
  const bytes = randomBytes(size);
  return {
    filename,
    contentType,
    contentId,
    size,
    bytes,
    objectKey: null,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

function build(files: readonly File[], changes: Partial<MessageParts> = {}): Buffer {
  const pieces = buildPieces(messageParts(changes), files);
  return Buffer.concat(
    pieces.map((piece) =>
      Buffer.isBuffer(piece)
        ? piece
        : encodeBase64Lines(files.find(({ sha256 }) => sha256 === piece.sha256)?.bytes as Buffer),
    ),
  );
}

/** The media types of the message and its parts, in order, as in `multipart/mixed`, `text/plain`, `image/png`. */
function getStructure(raw: Buffer): string[] {
  return [...raw.toString('latin1').matchAll(/^Content-Type: ([a-z]+\/[a-z]+)/gim)].map(([, type = '']) => type);
}

const splitLines = (raw: Buffer) => raw.toString('latin1').split('\r\n');

describe('a message with attachments', () => {
  test.each([
    ['text', { html: null }, ['multipart/mixed', 'text/plain', 'application/pdf']],
    ['html', { text: null }, ['multipart/mixed', 'text/html', 'application/pdf']],
    ['both', {}, ['multipart/mixed', 'multipart/alternative', 'text/plain', 'text/html', 'application/pdf']],
  ])('has the file after %s', (_, changes, structure) => {
    expect(getStructure(build([file('a.pdf')], changes))).toEqual(structure);
  });

  test('puts the files that html shows into one part with the html', () => {
    const raw = build([file('a.pdf'), file('logo.png', { contentType: 'image/png', contentId: 'logo' })]);
    expect(getStructure(raw)).toEqual([
      ...['multipart/mixed', 'multipart/related', 'multipart/alternative', 'text/plain', 'text/html'],
      ...['image/png', 'application/pdf'],
    ]);
    expect(raw.toString('latin1')).toMatch(
      /Content-Type: multipart\/related; type="multipart\/alternative";\r\n boundary="/,
    );
  });

  test('shows no file in a message without html', () => {
    const raw = build([file('logo.png', { contentType: 'image/png', contentId: 'logo' })], { html: null });
    expect(getStructure(raw)).toEqual(['multipart/mixed', 'text/plain', 'image/png']);
    expect(raw.toString('latin1')).toContain('Content-Disposition: attachment;');
  });

  test('is read by an independent parser, byte for byte', async () => {
    const files = [0, 1, 56, 57, 58, 114, 100_000].map((size) => file(`${size}.bin`, { size }));
    const { attachments, html, text } = await PostalMime.parse(build(files));
    expect(attachments.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename));
    for (const [index, { content }] of attachments.entries())
      expect(Buffer.compare(Buffer.from(content as ArrayBuffer), files[index]?.bytes as Buffer)).toBe(0);
    expect([html?.trim(), text?.trim()]).toEqual(['<p>Hello Jane</p>', 'Hello Jane']);
  });

  test('has short lines of ASCII', () => {
    const raw = build([
      file('日本語のとても長いファイル名'.repeat(10), { contentType: `text/x; a="${'b'.repeat(68)}"; c=d` }),
    ]);
    expect(raw.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(Math.max(...splitLines(raw).map((line) => line.length))).toBeLessThanOrEqual(78);
  });

  test('refuses a media type or a content id with a line break', () => {
    const evil = 'a/b\r\nBcc: eve@example.com';
    expect(() => build([file('a', { contentType: evil })])).toThrow('Content-Type must not contain');
    expect(() => build([file('a', { contentId: evil })])).toThrow('Content-ID must not contain');
  });

  test('builds the same bytes every time', () => {
    const files = [file('a.pdf'), file('logo.png', { contentId: 'logo' })];
    expect(build(files).equals(build(files))).toBe(true);
  });
});

test('the encoded size is known in advance', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), (size) => {
      expect(encodeBase64Lines(Buffer.alloc(size)).length).toBe(measureBase64(size));
    }),
  );
});

describe('the name of a file', () => {
  test.each([
    ['invoice.pdf', ['filename="invoice.pdf"']],
    ['a "b".pdf', ['filename="a \\"b\\".pdf"']],
    ['a\\b', ['filename="a\\\\b"']],
    ['Übersicht.pdf', ["filename*=utf-8''%C3%9Cbersicht.pdf"]],
    ['x'.repeat(60), [`filename="${'x'.repeat(60)}"`]],
    ['ä'.repeat(10), [`filename*0*=utf-8''${'%C3%A4'.repeat(8)};`, 'filename*1*=%C3%A4%C3%A4']],
  ])('%s is written as RFC 2231 says', (name, words) => {
    expect(formatParameter('filename', name)).toEqual(words);
  });

  test('is read back unchanged by an independent parser, whatever it is', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
      .filter((text) => /\S/.test(text) && !/[\p{C}/\\]/u.test(text) && text === text.trim());
    await fc.assert(
      fc.asyncProperty(name, async (filename) => {
        const { attachments } = await PostalMime.parse(build([file(filename, { size: 1 })]));
        expect(attachments[0]?.filename).toBe(filename);
      }),
      { numRuns: 300 },
    );
  });
});
