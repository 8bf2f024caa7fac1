import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connectDatabase } from '@posthorn/platform/postgres';
import { connectBlockingRedis } from '@posthorn/platform/redis';
import {
  closeTestContext,
  createTestWorkspace,
  expectNoHeldConnections,
  openTestContext,
  type TestContextOptions,
} from '@posthorn/testing';
import { expectNoHandles, keepOpen } from '../src/file-end.js';
import { expectNoConnections } from '../src/test-database.js';

const ownDatabase = 'these tests check that contexts can have databases of their own';

test('every context has its own migrated Postgres database and empty Redis database', async () => {
  const [first, second] = await Promise.all([openTestContext({ ownDatabase }), openTestContext({ ownDatabase })]);
  const { workspaceId } = await createTestWorkspace(first);
  await first.redis.set('key', 'value');

  expect(await first.db('workspaces').where({ id: workspaceId })).toHaveLength(1);
  expect(await second.db('workspaces').where({ id: workspaceId })).toHaveLength(0);
  expect(await second.redis.dbsize()).toBe(0);

  await Promise.all([closeTestContext(first), closeTestContext(second)]);
});

test('contexts share one Postgres database, which keeps its rows, but each has its own Redis database', async () => {
  const [first, second] = await Promise.all([openTestContext(), openTestContext()]);
  const { workspaceId } = await createTestWorkspace(first);
  await first.redis.set('key', 'value');

  expect(await second.db('workspaces').where({ id: workspaceId })).toHaveLength(1);
  expect(await second.redis.dbsize()).toBe(0);

  await Promise.all([closeTestContext(first), closeTestContext(second)]);
  const later = await openTestContext();
  expect(await later.db('workspaces').where({ id: workspaceId })).toHaveLength(1);
  await closeTestContext(later);
});

test('a database of its own has no rows of the shared one', async () => {
  const [shared, own] = [await openTestContext(), await openTestContext({ ownDatabase })];
  const { workspaceId } = await createTestWorkspace(shared);
  expect(await own.db('workspaces').where({ id: workspaceId })).toHaveLength(0);
  await closeTestContext(shared);
  await closeTestContext(own);
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

async function openWithTransaction(options: TestContextOptions) {
  const ctx = await openTestContext(options);
  const transaction = await ctx.db.transaction();
  await transaction.raw('select 1');
  return { ctx, transaction };
}

/** All wait at the same time, because each waits for ten seconds before it reports something. */
test('closing a context reports a transaction or a Redis client that is still open', async () => {
  const [own, shared, kept] = [
    await openWithTransaction({ ownDatabase }),
    await openWithTransaction({}),
    await openWithTransaction({}),
  ];
  const withRedis = await openTestContext();
  const forgotten = connectBlockingRedis(withRedis.config.redisUrl, withRedis.log);
  await once(forgotten, 'ready');
  const notReturned = 'a connection of ctx.db that was not returned';
  await Promise.all([
    expect(closeTestContext(own.ctx)).rejects.toThrow(notReturned),
    expect(closeTestContext(shared.ctx)).rejects.toThrow(notReturned),
    expect(expectNoHeldConnections(kept.ctx)).rejects.toThrow(notReturned),
    expect(closeTestContext(withRedis)).rejects.toThrow(/left 1 connection\(s\) open/),
  ]);
  await Promise.all([shared, kept].map(({ transaction }) => transaction.rollback()));
  await expectNoHeldConnections(kept.ctx);
  await closeTestContext(kept.ctx);
  forgotten.disconnect();
});

test('a file that leaves a connection to the shared database open fails', async () => {
  const ctx = await openTestContext();
  const forgotten = connectDatabase(ctx.config.databaseUrl, { poolSize: 1 });
  await forgotten.raw('select 1 as forgotten');
  await closeTestContext(ctx);
  await expect(expectNoConnections()).rejects.toThrow(/left 1 connection\(s\) open:\nselect 1 as forgotten/);
  await forgotten.destroy();
});

test('a file that leaves a server, a process or a UDP socket open fails', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  const child = spawn('sleep', ['60']);
  const socket = createSocket('udp4');
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  await expect(expectNoHandles()).rejects.toThrow('The file left open: 1 x child process, 1 x server, 1 x UDP socket.');
  server.close();
  child.kill();
  socket.close();
  await Promise.all([once(server, 'close'), once(child, 'close')]);
  await expectNoHandles();
});

test('a server that is kept for later files is not reported, but one that the file forgot is', async () => {
  const listen = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const forgotten = await listen();
  const kept = await keepOpen(listen);
  await expect(expectNoHandles()).rejects.toThrow('The file left open: 1 x server.');
  for (const server of [forgotten, kept]) await once(server.close(), 'close');
  await expectNoHandles();
});
