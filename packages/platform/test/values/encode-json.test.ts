import fc from 'fast-check';
import { encodeJson, isLargeJson } from '../../src/values/encode-json.js';

/** Strings, some shorter and some longer than the pieces in which they are encoded. */
const text = fc
  .array(
    fc.tuple(
      fc.constantFrom('a', 'é', '漢', '😀', '"', '\\', '\n', '\u0001', '\u2028'),
      fc.constantFrom(1, 2, 63_999, 64_001),
    ),
    { maxLength: 4 },
  )
  .map((runs) => runs.map(([character, count]) => character.repeat(count)).join(''));

describe('encodeJson', () => {
  test('writes the same bytes as JSON.stringify', async () => {
    const value = fc.record({
      html: text,
      list: fc.array(fc.record({ text, at: fc.date({ noInvalidDate: true }) }), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(value, async (object) => {
        expect(Buffer.concat(await encodeJson(object)).equals(Buffer.from(JSON.stringify(object)))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('lets other work run between the pieces of a long string', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await encodeJson({ html: 'x'.repeat(2_000_000), text: 'y'.repeat(2_000_000) });
    isDone = true;
    expect(turns).toBeGreaterThan(50);
  });

  test('calls a value large if it has a lot of text, in one string or in many', () => {
    expect(isLargeJson({ text: 'x'.repeat(300_000) })).toBe(true);
    expect(isLargeJson({ list: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(30_000) })) })).toBe(true);
    expect(isLargeJson({ list: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(3_000), none: null })) })).toBe(
      false,
    );
  });
});
