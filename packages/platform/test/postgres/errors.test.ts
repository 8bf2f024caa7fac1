import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { isRefusedByPostgres, isUnavailable } from '../../src/postgres/errors.js';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

const replyError = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('isUnavailable', () => {
  test.each([
    withCode('ECONNREFUSED'),
    withCode('ECONNRESET'),
    withCode('57P01', 'terminating connection due to administrator command'),
    withCode('53300', 'sorry, too many clients already'),
    withCode('25006', 'cannot execute INSERT in a read-only transaction'),
    new Error('cannot execute INSERT in a read-only transaction'),
    withCode('28000', 'no pg_hba.conf entry for host'),
    withCode('08006', 'connection failure'),
    withCode('57P03', 'the database system is starting up'),
    withCode('53100', 'could not extend file: No space left on device'),
    withCode('58030', 'could not write to file: No space left on device'),
    withCode('40P01', 'deadlock detected'),
    withCode('55P03', 'canceling statement due to lock timeout'),
    withCode('57014', 'canceling statement due to statement timeout'),
    withCode('26000', 'prepared statement "claim" does not exist'),
    withCode('42P05', 'prepared statement "claim" already exists'),
    new Error('timeout expired'),
    new Error('Connection terminated unexpectedly'),
    new Error('ROLLBACK - Client has encountered a connection error and is not queryable'),
    new Error('Command timed out'),
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
    replyError("OOM command not allowed when used memory > 'maxmemory'."),
    replyError('LOADING Redis is loading the dataset in memory'),
    replyError("READONLY You can't write against a read only replica."),
    replyError('NOREPLICAS Not enough good replicas to write.'),
    new Error("Cluster isn't ready and enableOfflineQueue options is false"),
    new Error('Cluster is ended.'),
    new Error('Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys request'),
    new Error('None of startup nodes is available'),
  ])('is true for %p', (error) => {
    expect(isUnavailable(error)).toBe(true);
  });

  test.each([
    withCode('23505', 'duplicate key value violates unique constraint'),
    withCode('22021', 'invalid byte sequence for encoding "UTF8"'),
    withCode('42601', 'syntax error'),
    new TypeError('Cannot read properties of undefined'),
    new AggregateError([new Error('x')]),
    replyError('WRONGTYPE Operation against a key holding the wrong kind of value'),
    'ECONNREFUSED',
    null,
  ])('is false for %p', (error) => {
    expect(isUnavailable(error)).toBe(false);
  });
});

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext();
});

afterAll(() => closeTestContext(ctx));

/** The error of a statement that fails with this SQLSTATE. */
async function raised(code: string): Promise<unknown> {
  const raising = ctx.db.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`);
  return raising.then(
    () => null,
    (error) => error,
  );
}

describe('isRefusedByPostgres', () => {
  test.each(['22021', '23502', '23505', '25006', '40P01', '55P03', '53100', '53200', '57014'])(
    'is true for an error from a running server that executed nothing: %s',
    async (code) => {
      expect(isRefusedByPostgres(await raised(code))).toBe(true);
    },
  );

  test.each(['08006', '57P01', '58030', 'XX000'])('is false for any other error: %s', async (code) => {
    expect(isRefusedByPostgres(await raised(code))).toBe(false);
  });

  test.each(['FATAL', 'PANIC'])('is false for a full disk that takes the server down: %s', (severity) => {
    expect(isRefusedByPostgres(Object.assign(new Error('x'), { code: '53100', severity }))).toBe(false);
  });

  test('is false for a lost connection', () => {
    expect(isRefusedByPostgres(new Error('Connection terminated unexpectedly'))).toBe(false);
  });
});
