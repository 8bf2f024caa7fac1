import fc from 'fast-check';
import { toEncodedWords } from '../src/header.js';

/** Decodes one word separately, as a mail client may do. */
function decode(word: string): string {
  const [, encoding, payload = ''] = /^=\?utf-8\?([BQ])\?([!-~]*)\?=$/.exec(word) ?? [];
  const bytes =
    encoding === 'B'
      ? Buffer.from(payload, 'base64')
      : Buffer.from(
          payload.replaceAll('_', ' ').replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        );
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

describe('encodedWords', () => {
  test.each([
    ['Grüße an alle unsere Leser', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_an_alle_unsere_Leser?='],
    ['ご注文の確認', '=?utf-8?B?44GU5rOo5paH44Gu56K66KqN?='],
    ['🚀', '=?utf-8?B?8J+agA==?='],
    ['"a" <b>, (c)', '=?utf-8?B?ImEiIDxiPiwgKGMp?='],
  ])('writes %s in the shorter encoding', (text, word) => {
    expect(toEncodedWords(text, 75)).toEqual([word]);
  });

  test('limits the first word to the remaining room on its line', () => {
    expect(toEncodedWords('ü'.repeat(30), 40).map((word) => word.length)).toEqual([40, 68]);
  });

  test('puts the first word on its own line if it has too little room', () => {
    expect(toEncodedWords('ü'.repeat(15), -60)).toEqual(toEncodedWords('ü'.repeat(15), 75));
  });

  test('makes words of at most 75 characters and never splits a character', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('a', ' ', 'ü', '語', '🚀', '=', '?', '_'), maxLength: 300 }),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: -100, max: 75 }), (text, room) => {
        const words = toEncodedWords(text, room);
        expect(words.map(decode).join('')).toBe(text);
        expect(Math.max(0, ...words.map((word) => word.length))).toBeLessThanOrEqual(75);
        if (room >= 24 && words[0] !== undefined) expect(words[0].length).toBeLessThanOrEqual(room);
      }),
      { numRuns: 2_000 },
    );
  });
});
