import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis, connectRedis, type RedisClient } from '@posthorn/platform/redis';
import { type RedisServer, startRedis } from '@posthorn/servers';
import { startCluster, until } from '@posthorn/testing';

let dataDir: string;
let server: RedisServer;
let admin: RedisClient;
let redis: RedisClient;
let events: string[];

beforeEach(async () => {
  events = [];
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-redis-'));
  server = await startRedis({ dataDir });
  const silent = createLog('test', 'silent');
  admin = connectBlockingRedis(server.url, silent);
  redis = connectRedis(server.url, { ...silent, warn: (_, event) => void events.push(event) });
  await until(() => redis.status === 'ready');
});

afterEach(async () => {
  redis.disconnect();
  admin.disconnect();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('a master that becomes a replica is left and logged, and used again when it is a master again', async () => {
  await admin.replicaof('127.0.0.1', 1);
  const before = await redis.client('ID');
  const connectedAgain = once(redis, 'ready');
  await expect(redis.set('key', 'value')).rejects.toThrow('READONLY');
  expect(events).toEqual(['redis_is_a_replica']);
  await connectedAgain;
  expect(await redis.client('ID')).not.toBe(before);
  await admin.replicaof('NO', 'ONE');
  expect(await redis.set('key', 'value')).toBe('OK');
});

test('a server that stops answering is left, although its connections stay open', async () => {
  process.kill(server.pid, 'SIGSTOP');
  await expect(redis.ping()).rejects.toThrow('Command timed out');
  await until(() => redis.status !== 'ready');
  await expect(redis.ping()).rejects.toThrow("Stream isn't writeable");
  process.kill(server.pid, 'SIGCONT');
  await until(() => redis.status === 'ready');
  expect(await redis.ping()).toBe('PONG');
});

test('a cluster that serves no slots is logged as an outage, although its nodes answer', async () => {
  const cluster = await startCluster();
  for (const { call } of cluster.masters) {
    await call('CONFIG', 'SET', 'cluster-require-full-coverage', 'yes');
    await call('CLUSTER', 'DELSLOTS', 0);
  }
  for (const { call } of cluster.masters)
    await until(async () => String(await call('CLUSTER', 'INFO')).includes('cluster_state:fail'));
  const client = connectRedis(cluster.url, {
    ...createLog('test', 'silent'),
    warn: (_, event) => void events.push(event),
  });
  await until(() => events.includes('redis_unreachable'));
  client.disconnect();
  await cluster.close();
});
