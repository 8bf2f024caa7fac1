import { connectBlockingRedis } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

test('every context has its own migrated Postgres database and empty Redis database', async () => {
  const [first, second] = await Promise.all([openTestContext(), openTestContext()]);
  const { workspaceId } = await createTestWorkspace(first);
  await first.redis.set('key', 'value');

  expect(await first.db('workspaces').where({ id: workspaceId })).toHaveLength(1);
  expect(await second.db('workspaces').where({ id: workspaceId })).toHaveLength(0);
  expect(await second.redis.dbsize()).toBe(0);

  await Promise.all([closeTestContext(first), closeTestContext(second)]);
});

test('a reused Redis database is empty', async () => {
  for (let round = 0; round < 3; round += 1) {
    const ctx = await openTestContext();
    expect(await ctx.redis.dbsize()).toBe(0);
    await ctx.redis.set('key', 'value');
    await closeTestContext(ctx);
  }
});

test('the clock and any part of the configuration can be replaced', async () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const ctx = await openTestContext({ now: () => now, config: { rateLimitPerMinute: 7 } });
  expect(ctx.now()).toBe(now);
  expect(ctx.config.rateLimitPerMinute).toBe(7);
  await closeTestContext(ctx);
});

test('closing a context reports a transaction that is still open', async () => {
  const ctx = await openTestContext();
  const transaction = await ctx.db.transaction();
  await transaction.raw('select 1');
  await expect(closeTestContext(ctx)).rejects.toThrow('a connection of ctx.db that was not returned');
});

test('closing a context reports a Redis client that is still open', async () => {
  const ctx = await openTestContext();
  const forgotten = connectBlockingRedis(ctx.config.redisUrl, ctx.log);
  await new Promise((resolve) => forgotten.once('ready', resolve));
  await expect(closeTestContext(ctx)).rejects.toThrow(/left 1 connection\(s\) open/);
  forgotten.disconnect();
});
