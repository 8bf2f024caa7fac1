import { InvalidArgumentError } from 'commander';
import { capValue, emailValue, nameValue, passwordValue, rateValue, scopesValue } from '../src/values.js';

describe('option values', () => {
  test.each([
    [capValue, '0', 0],
    [capValue, '50000', 50_000],
    [capValue, 'none', 'none'],
    [capValue, 'default', 'default'],
    [rateValue, '1', 1],
    [rateValue, 'default', 'default'],
    [emailValue, 'ada@EXAMPLE.com', 'ada@example.com'],
    [passwordValue, 'correct horse', 'correct horse'],
    [nameValue(5), ' Acme ', 'Acme'],
    [scopesValue, 'emails:send, emails:read,emails:send', ['emails:send', 'emails:read']],
  ])('%p reads %j as %j', (read, text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    [capValue, '-1'],
    [capValue, '1.5'],
    [capValue, '1e3'],
    [capValue, ''],
    [capValue, '99999999999'],
    [rateValue, '0'],
    [rateValue, 'none'],
    [emailValue, 'ada'],
    [emailValue, 'Ada <ada@example.com>'],
    [passwordValue, 'too short'],
    [passwordValue, 'x'.repeat(201)],
    [nameValue(5), ' '],
    [nameValue(5), 'Acme Inc'],
    [nameValue(9), 'Ac\nme'],
    [scopesValue, ''],
    [scopesValue, 'emails:write'],
  ])('%p refuses %j', (read, text) => {
    expect(() => read(text)).toThrow(InvalidArgumentError);
  });
});
