import { join } from 'node:path';
import { startThread } from '@posthorn/threads';
import fc from 'fast-check';
import { findDuplicateName, findEndOfString } from '../../src/json/json-fault.js';
import { measureJson } from '../../src/json/parse-json.js';
import type { ParseJob, ParseResult } from '../../src/json/parse-thread.js';
import { parseJsonBody } from '../../src/request-steps/read-request.js';

const limits = { maxDepth: 16, maxValues: 20_000, maxFields: 1_000, maxCharactersOutsideStrings: 1_000_000 };

const fieldsIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  return (
    (Array.isArray(value) ? 0 : children.length) + children.reduce<number>((sum, child) => sum + fieldsIn(child), 0)
  );
};

/** Strings with many quotes and backslashes, in runs that are shorter and longer than the scanner's steps. */
const quoted = fc
  .array(fc.tuple(fc.constantFrom('"', '\\', '\\"', 'a', 'é', '{', ':', ','), fc.constantFrom(1, 2, 3, 300, 600)), {
    maxLength: 6,
  })
  .map((runs) => runs.map(([text, count]) => text.repeat(count)).join(''));

describe('measuring JSON', () => {
  test('finds the end of every string, whatever quotes and backslashes it contains', () => {
    fc.assert(
      fc.property(quoted, fc.string(), (text, rest) => {
        const json = JSON.stringify(text);
        expect(findEndOfString(`${json}${rest}`, 0)).toBe(json.length - 1);
      }),
    );
  });

  test('does not find an end where there is none', () => {
    for (const text of ['"', '"\\"', `"${'\\"'.repeat(5_000)}`, `"${'a'.repeat(5_000)}`])
      expect(findEndOfString(text, 0)).toBe(text.length);
  });

  test('counts the fields of all objects, and none in strings', () => {
    const inner = fc.dictionary(quoted, fc.array(quoted, { maxLength: 2 }), { maxKeys: 2 });
    fc.assert(
      fc.property(fc.dictionary(quoted, fc.oneof(quoted, inner), { maxKeys: 3 }), (object) => {
        const text = Buffer.from(JSON.stringify(object)).toString('latin1');
        expect(measureJson(text, limits)).toBe(fieldsIn(object));
      }),
    );
  });
});

describe('a duplicate name', () => {
  test('is found after megabytes of text', () => {
    const text = `${'x'.repeat(4_000_000)}${'\\"'.repeat(1_000_000)}`;
    expect(findDuplicateName(`{"html":"${text}","a":[{"b":1,"c":{"to":1,"to":2}}]}`)).toBe('a[0].c.to');
  });

  test('is found however it is escaped', () => {
    expect(findDuplicateName('{"sub\\u006aect":1,"subject":2}')).toBe('subject');
  });
});

describe('the parser', () => {
  const file = join(import.meta.dirname, '../../src/json/parse-thread');
  const parsing = startThread<ParseJob, ParseResult>(file, { maxHeapMb: 128 });
  const parse = (bytes: Buffer) => parseJsonBody({ threads: { parsing } }, bytes);
  afterAll(() => parsing.close());

  /** The body both as it is and padded so that the other thread parses it. */
  const sizes = (json: string) => [
    Buffer.from(json),
    Buffer.from(`{"padding":"${'x'.repeat(300_000)}","body":${json}}`),
  ];

  test.each(['"ASCII"', '"\\u00e9 é 漢字 \\ud83d\\ude00 😀"', '[1, 2.5, true, null, {"a": {}}]', '{"a":"\\"\\\\"}'])(
    'reads %s the same way in both threads',
    async (json) => {
      const [small, large] = sizes(json) as [Buffer, Buffer];
      expect(await parse(small)).toEqual(JSON.parse(json));
      expect(await parse(large)).toMatchObject({ body: JSON.parse(json) });
    },
  );

  test('reads text of every kind and size unchanged', async () => {
    const unit = fc.constantFrom('a', 'é', 'ж', '漢', '😀', '"', '\\', '\n', '\u0001', '\u2028');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(unit, fc.constantFrom(1, 7_000, 90_000)), { maxLength: 5 }), async (runs) => {
        const text = runs.map(([character, count]) => character.repeat(count)).join('');
        expect(((await parse(Buffer.from(JSON.stringify({ text })))) as { text: string }).text === text).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['broken syntax', 'malformed_json', '{"a":'],
    ['NUL', 'validation_failed', '{"a":"\\u0000"}'],
    ['a reserved name', 'validation_failed', '{"__proto__":1}'],
    ['a duplicate name', 'validation_failed', '{"a":1,"a":2}'],
    ['deep nesting', 'validation_failed', `${'['.repeat(40)}${']'.repeat(40)}`],
    ['too many values', 'validation_failed', `[${'0,'.repeat(30_000)}0]`],
    ['too many names', 'validation_failed', `{${Array.from({ length: 1_001 }, (_, i) => `"n${i}":1`).join(',')}}`],
    ['megabytes of spaces', 'validation_failed', `{${' '.repeat(2_000_000)}}`],
  ])('refuses %s with the same error in both threads', async (_what, code, json) => {
    for (const bytes of sizes(json)) {
      const error = await parse(bytes).catch((thrown) => thrown);
      expect(error).toMatchObject({ code });
    }
  });

  test.each([
    // The array is a value too.
    ['values', (count: number) => `[${Array(count - 1).fill(0)}]`, limits.maxValues],
    ['names', (count: number) => `{${Array.from({ length: count }, (_, i) => `"n${i}":1`)}}`, limits.maxFields],
    ['levels', (count: number) => `${'['.repeat(count)}${']'.repeat(count)}`, limits.maxDepth],
    ['spaces', (count: number) => `[${' '.repeat(count - 2)}]`, limits.maxCharactersOutsideStrings],
  ])('takes as many %s as the limit, and not one more', async (_what, write, max) => {
    await expect(parse(Buffer.from(write(max)))).resolves.toBeDefined();
    await expect(parse(Buffer.from(write(max + 1)))).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('parses large bodies that arrive together, each for its own request', async () => {
    const bodies = Array.from({ length: 10 }, (_, index) => ({ index, text: String(index).repeat(300_000) }));
    const parsed = await Promise.all(bodies.map((body) => parse(Buffer.from(JSON.stringify(body)))));
    expect(parsed.map((body) => (body as { index: number }).index)).toEqual(bodies.map(({ index }) => index));
  });

  test('reads a large body after its thread was stopped', async () => {
    const large = () => Buffer.from(JSON.stringify({ text: 'x'.repeat(300_000) }));
    const first = parse(large()).catch((error) => error);
    await parsing.close();
    await first;
    expect(await parse(large())).toMatchObject({ text: expect.any(String) });
  });
});
