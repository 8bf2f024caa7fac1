import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTS_CHANNEL, listenForEvents, signalEvents } from '@posthorn/domain/events';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis } from '@posthorn/platform/redis';
import { type RedisServer, startRedis } from '@posthorn/servers';
import { until } from '@posthorn/testing';

const log = createLog('test', 'silent');
const unhandled: unknown[] = [];
const remember = (error: unknown) => void unhandled.push(error);

let dataDir: string;
let server: RedisServer;
let admin: ReturnType<typeof connectBlockingRedis>;

beforeEach(async () => {
  process.on('unhandledRejection', remember);
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-redis-'));
  server = await startRedis({ dataDir });
  admin = connectBlockingRedis(server.url, log);
});

afterEach(async () => {
  process.off('unhandledRejection', remember);
  admin.disconnect();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const disconnectListeners = () => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
const refusals = async () =>
  Number(/cmdstat_subscribe:.*rejected_calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]);
const listeners = async () => (await admin.pubsub('NUMSUB', EVENTS_CHANNEL))[1];

test('a listener survives a Redis that refuses its subscription, and listens again as soon as it may', async () => {
  let signals = 0;
  const listening = listenForEvents({ config: { redisUrl: server.url }, log }, () => {
    signals += 1;
  });
  const signal = () => signalEvents({ redis: admin });
  await until(async () => (await listeners()) === 1);
  await admin.acl('SETUSER', 'default', 'resetchannels');
  await disconnectListeners();
  await until(async () => (await refusals()) > 0);
  expect([await listeners(), unhandled]).toEqual([0, []]);

  await admin.acl('SETUSER', 'default', 'allchannels');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until(async () => (await listeners()) === 1);
  signal();
  await until(() => signals === 1);
  listening.close();
});
