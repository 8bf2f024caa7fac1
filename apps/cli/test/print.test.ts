import { formatResult } from '../src/command-line/print.js';

describe('output without --json', () => {
  test('a list is printed as a table with aligned columns', () => {
    const rows = [
      { id: 'a', name: 'Acme', limit: 10 },
      { id: 'bcd', name: null, limit: 5 },
    ];
    expect(formatResult(rows)).toBe('id   name  limit\na    Acme  10\nbcd  -     5');
  });

  test('an empty list is printed as (none)', () => {
    expect(formatResult([])).toBe('(none)');
  });

  test('an object is printed with one line per field and one section per nested object', () => {
    const at = new Date('2026-03-02T10:00:00.000Z');
    const result = {
      id: 'x',
      created_at: at,
      tags: ['a', 'b'],
      jobs: { waiting: 1, failed: 0 },
      events: [{ type: 'sent' }],
    };
    expect(formatResult(result)).toBe(
      'id          x\ncreated_at  2026-03-02T10:00:00.000Z\ntags        a, b\n\njobs\nwaiting  1\nfailed   0\n\nevents\ntype\nsent',
    );
  });

  test('control characters are replaced', () => {
    expect(formatResult({ reply: '550 \u001b[31mred\u0001' })).toBe('reply  550 \ufffd[31mred\ufffd');
  });

  test('a line break in a value becomes a space', () => {
    expect(formatResult([{ reply: '550 no\r\n550 really' }])).toBe('reply\n550 no 550 really');
  });
});
