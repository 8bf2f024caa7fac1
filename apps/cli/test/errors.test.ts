import type { CliContext } from '../src/command-line/context.js';
import { describeError } from '../src/command-line/errors.js';
import { createProgram } from '../src/program.js';

/** Runs a command that fails before it needs the database. @returns the text of its error */
async function readMessage(args: readonly string[]): Promise<string> {
  const program = await createProgram(args, async (action) => {
    await action({} as CliContext);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return describeError(error).message;
  }
  throw new Error('The command did not fail');
}

describe('an error', () => {
  const key = 'ph_5uOGMVQV7MTLQ6bzMMMQQJ0dnnKYrSYiFJ8mXdJ5jGKE9UZnXkK3b2rYf0ab';
  const password = "hunter2'\nis my secret";
  const notAnId = 'This is not an ID. IDs are UUIDs, such as 0198c5d2-7e3a-7b41-9c06-52f1e8a4d370.';

  test.each([
    [['key', 'revoke', key], notAnId],
    [['email', 'show', key], notAnId],
    [['workspace', 'limits', password], notAnId],
    [[key], 'unknown command'],
    [['key', key], 'unknown command'],
    [
      ['key', 'create', '--workspace', 'x', '--name', 'x', '--scopes', key],
      "option '--scopes <list>' is invalid. Use a comma-separated list of: emails:send, templates:write, emails:read, domains:write, webhooks:write.",
    ],
    [
      ['workspace', 'create', '--email', key],
      "option '--email <address>' is invalid. It must be an address without a name, such as jane@example.com.",
    ],
    [
      ['workspace', 'create', '--password', password.slice(0, 8)],
      "option '--password <text>' is invalid. It must be 10 to 200 characters long.",
    ],
    [
      ['workspace', 'create', '--password', password.repeat(20)],
      "option '--password <text>' is invalid. It must be 10 to 200 characters long.",
    ],
    [['workspace', 'list', `--pasword=${password}`], "unknown option '--pasword'"],
    [['workspace', 'list', `-p${password}`], "unknown option '-p'"],
    [
      ['plan', 'limits', password, '--daily', '1'],
      "The value is invalid for argument 'plan'. Allowed choices are free, pro.",
    ],
  ])('never repeats a secret from the command line (%#)', async (args, message) => {
    expect(await readMessage(args)).toBe(message);
  });

  test('repeats words that cannot be secrets', async () => {
    expect(await readMessage(['worksapce', 'list'])).toBe("unknown command 'worksapce' (Did you mean workspace?)");
    expect(await readMessage(['workspace', 'list', '--jsno'])).toBe("unknown option '--jsno' (Did you mean --json?)");
    expect(
      await readMessage(['key', 'create', '--workspace', 'x', '--name', 'x', '--scopes', 'emails:write']),
    ).toContain('"emails:write" is not a scope. Use');
  });
});

test('an error of several hosts says what is wrong with each of them', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:5432'), { code: 'ECONNREFUSED' });
  const readOnly = Object.assign(new Error('The server is read-only'), { code: '25006' });
  const error = new AggregateError([refused, readOnly, readOnly], 'No host in DATABASE_URL can be used');
  expect(describeError(Object.assign(error, { code: 'ECONNREFUSED' })).message).toBe(
    'Cannot connect to the database: connect ECONNREFUSED 192.0.2.1:5432; The server is read-only',
  );
});

test('an error after the connection was made says that a change may still happen', () => {
  const error = new Error('Connection terminated: Postgres sent no reply for 6000 ms');
  expect(describeError(error)).toEqual({
    code: 'unavailable',
    message: expect.stringMatching(/that may still happen: look before you repeat it\. Connection terminated: /),
  });
});
