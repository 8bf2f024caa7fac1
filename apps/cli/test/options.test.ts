import { InvalidArgumentError } from 'commander';
import { parseCap, parseEmail, parseName, parsePassword, parseRate, parseScopes } from '../src/command-line/options.js';

describe('option parsers', () => {
  test.each([
    [parseCap, '0', 0],
    [parseCap, '50000', 50_000],
    [parseCap, 'none', 'none'],
    [parseCap, 'default', 'default'],
    [parseRate, '1', 1],
    [parseRate, 'default', 'default'],
    [parseEmail, 'ada@EXAMPLE.com', 'ada@example.com'],
    [parsePassword, 'correct horse', 'correct horse'],
    [parseName(5), ' Acme ', 'Acme'],
    [parseScopes, 'emails:send, emails:read,emails:send', ['emails:send', 'emails:read']],
  ])('%p parses %j as %j', (parse, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test.each([
    [parseCap, '-1'],
    [parseCap, '1.5'],
    [parseCap, '1e3'],
    [parseCap, ''],
    [parseCap, '99999999999'],
    [parseRate, '0'],
    [parseRate, 'none'],
    [parseEmail, 'ada'],
    [parseEmail, 'Ada <ada@example.com>'],
    [parsePassword, 'too short'],
    [parsePassword, 'x'.repeat(201)],
    [parseName(5), ' '],
    [parseName(5), 'Acme Inc'],
    [parseName(9), 'Ac\nme'],
    [parseScopes, ''],
    [parseScopes, 'emails:write'],
  ])('%p rejects %j', (parse, text) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
  });
});
