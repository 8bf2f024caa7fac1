import fc from 'fast-check';
import { encodeBody } from '../../src/format/body-encoding.js';

const inside = { endsMessage: false };
const atEnd = { endsMessage: true };

function encode(text: string, place: { endsMessage: boolean }): [encoding: string, bytes: string] {
  const { encoding, bytes } = encodeBody(text, place);
  return [encoding, bytes.toString('latin1')];
}

describe('encodeBody', () => {
  test.each([
    ['', ''],
    ['Hello', 'Hello'],
    ['Hello\nJane\n', 'Hello\r\nJane\r\n'],
    ['Hello\r\nJane\n', 'Hello\r\nJane\r\n'],
    ['.\n..\n>From me\nFromage\n', '.\r\n..\r\n>From me\r\nFromage\r\n'],
    ['a\tb  \n\n\n', 'a\tb  \r\n\r\n\r\n'],
    ['x'.repeat(78), 'x'.repeat(78)],
    [`${'x'.repeat(78)}\n${'y'.repeat(78)}\n`, `${'x'.repeat(78)}\r\n${'y'.repeat(78)}\r\n`],
  ])('does not encode %j', (text, bytes) => {
    expect(encode(text, inside)).toEqual(['7bit', bytes]);
  });

  test.each([
    ['Grüße an dich\n', 'Gr=C3=BC=C3=9Fe an dich\r\n'],
    ['From me\nFrom you\n', '=46rom me\r\n=46rom you\r\n'],
    [`${'x'.repeat(75)}From me`, `${'x'.repeat(75)}=\r\n=46rom me`],
    ['1 = 1, café', '1 =3D 1, caf=C3=A9'],
    ['a bare CR\rhere', 'a bare CR=0Dhere'],
    ['escape \u001b', 'escape =1B'],
    ['delete \u007f!', 'delete =7F!'],
    ['blank at the end é \nand \t', 'blank at the end =C3=A9=20\r\nand =09'],
    ['two CRs in front\r\r\n', 'two CRs in front=0D\r\n'],
    ['x'.repeat(79), `${'x'.repeat(75)}=\r\n${'x'.repeat(4)}`],
    [`${'x'.repeat(74)}é.\n`, `${'x'.repeat(74)}=\r\n=C3=A9.\r\n`],
    [`${'x'.repeat(72)}é.\n`, `${'x'.repeat(72)}=C3=\r\n=A9.\r\n`],
  ])('encodes %j as quoted-printable', (text, bytes) => {
    expect(encode(text, inside)).toEqual(['quoted-printable', bytes]);
  });

  test.each([
    ['日本語', '5pel5pys6Kqe'],
    ['Привет, Иван', '0J/RgNC40LLQtdGCLCDQmNCy0LDQvQ=='],
    ['\0', 'AA=='],
    ['語'.repeat(25), `${'6Kqe'.repeat(19)}\r\n${'6Kqe'.repeat(6)}`],
  ])('encodes %j as base64', (text, bytes) => {
    expect(encode(text, inside)).toEqual(['base64', bytes]);
  });

  test('ends a message with a line ending that the decoder removes', () => {
    expect(encode('Hello', atEnd)).toEqual(['quoted-printable', 'Hello=\r\n']);
    expect(encode('Hello\n', atEnd)).toEqual(['7bit', 'Hello\r\n']);
    expect(encode('Grüße an dich ', atEnd)).toEqual(['quoted-printable', 'Gr=C3=BC=C3=9Fe an dich=20=\r\n']);
    expect(encode('日本語', atEnd)).toEqual(['base64', '5pel5pys6Kqe\r\n']);
    expect(encode('', atEnd)).toEqual(['7bit', '']);
  });

  test('makes ASCII lines of at most 78 characters, without trailing whitespace on encoded lines', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'bc', '=', ' ', '\t', '\n', '\r', '\r\n', 'é', '語', '\0', 'x'.repeat(70)),
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, fc.boolean(), (text, endsMessage) => {
        const [encoding, bytes] = encode(text, { endsMessage });
        const lines = bytes.split('\r\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(encoding === '7bit' ? 78 : 76);
        expect(lines.join('')).toMatch(/^[\t -~]*$/);
        if (encoding !== '7bit') expect(lines.join('\n')).not.toMatch(/[ \t]$/m);
        if (endsMessage && text !== '') expect(lines.at(-1)).toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});
