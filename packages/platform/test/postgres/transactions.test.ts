import { closeTestContext, openTestContext } from '@posthorn/testing';
import type { Context } from '../../src/context.js';
import { inPipeline, inPipelinedTransaction, type Send } from '../../src/postgres/transactions.js';

const add = { name: 'test_add', text: 'insert into numbers values ($1)' };
const all = { name: 'test_all', text: 'select n from numbers order by n' };

describe('inPipelinedTransaction', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'it creates a table' });
    await ctx.db.raw('create table numbers (n int primary key)');
  });
  afterAll(() => closeTestContext(ctx));
  beforeEach(() => ctx.db.raw('truncate numbers'));

  const numbers = async () =>
    (await inPipeline(ctx.db, (send: Send) => send<{ n: number }>(all, []))).map(({ n }) => n);

  test('executes statements in the order in which they were sent, and keeps what is committed', async () => {
    const readInBetween = await inPipelinedTransaction(ctx.db, async ({ send, commit }) => {
      const [, rows] = await Promise.all([send(add, [1]), send(all, []), send(add, [2]), commit()]);
      return rows;
    });
    expect(readInBetween).toEqual([{ n: 1 }]);
    expect(await numbers()).toEqual([1, 2]);
  });

  test('keeps nothing without a commit', async () => {
    await inPipelinedTransaction(ctx.db, async ({ send }) => send(add, [1]));
    expect(await numbers()).toEqual([]);
  });

  test('keeps nothing from a transaction in which a statement fails', async () => {
    const work = inPipelinedTransaction(ctx.db, async ({ send, commit }) => {
      await Promise.all([send(add, [1]), send(add, [1]), send(add, [2]), commit()]);
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await numbers()).toEqual([]);
  });

  test('throws the error of the failed statement, not of the commit after it, even from nested functions', async () => {
    const slowly = async (send: Send) => {
      const rows = await (async () => await send(add, ['no number']))();
      return rows;
    };
    const work = inPipelinedTransaction(ctx.db, async ({ send, commit }) => {
      await Promise.all([slowly(send), commit()]);
    });
    await expect(work).rejects.toMatchObject({ code: '22P02' });
  });

  test('throws if Postgres answers the commit with a rollback', async () => {
    const work = inPipelinedTransaction(ctx.db, async ({ send, commit }) => {
      await send(add, ['no number']).catch(() => {});
      await commit();
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await numbers()).toEqual([]);
  });

  test('releases its connection after every error', async () => {
    const failing = Array.from({ length: 30 }, () =>
      inPipelinedTransaction(ctx.db, async () => {
        throw new Error('failed');
      }),
    );
    const results = await Promise.allSettled(failing);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await numbers()).toEqual([]);
  });
});
