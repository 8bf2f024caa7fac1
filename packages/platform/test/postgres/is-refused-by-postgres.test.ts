import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { isRefusedByPostgres } from '../../src/postgres/errors.js';

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
