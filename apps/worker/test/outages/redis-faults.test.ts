import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis } from '@posthorn/platform/redis';
import { type RedisServer, startRedis } from '@posthorn/servers';
import { until } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';

/** Longer than BullMQ's blocking call for a job (5 s), because a longer outage can break more. */
const OUTAGE_MS = 6_500;

let t: TestWorker;
let dataDir: string;
let redis: RedisServer;
let consumerErrors: number;

const ignore = () => {};
function count(_fields: object, event: string): void {
  if (event === 'job_consumer_error') consumerErrors += 1;
}
const log = { debug: count, info: ignore, warn: ignore, error: ignore };

beforeEach(async () => {
  consumerErrors = 0;
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-redis-'));
  redis = await startRedis({ dataDir });
});

afterEach(async () => {
  await t.close();
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function setMaxMemory(bytes: number): Promise<void> {
  const admin = connectBlockingRedis(redis.url, createLog('test', 'silent'));
  await admin.config('SET', 'maxmemory', bytes);
  admin.disconnect();
}

const outages: Array<[string, () => unknown, () => Promise<unknown>]> = [
  ['stopped', () => redis.kill(), async () => (redis = await startRedis({ dataDir, port: redis.port }))],
  ['frozen', () => process.kill(redis.pid, 'SIGSTOP'), async () => process.kill(redis.pid, 'SIGCONT')],
  ['full', () => setMaxMemory(1), () => setMaxMemory(0)],
];

/** Sends emails until one is delivered by its job. The sweep runs only once a minute, which is too late for this. */
async function untilJobIsProcessed(): Promise<void> {
  for (;;) {
    const id = await t.accept();
    await sleep(250);
    if ((await t.read(id)).status === 'sent') return;
  }
}

describe.each(outages)('a Redis that is %s for a few seconds', (_title, begin, end) => {
  test('does not delay any email', async () => {
    t = await openTestWorker({ config: { redisUrl: redis.url }, log });
    await t.until(await t.accept(), 'sent');
    await begin();
    for (const until = Date.now() + OUTAGE_MS; Date.now() < until; ) await t.until(await t.accept(), 'sent');
    await end();
    await t.until(await t.accept(), 'sent');
  });

  test('delivers emails through their jobs again once it is back', async () => {
    t = await openTestWorker({ config: { redisUrl: redis.url, sweepIntervalMs: 60_000 }, log });
    await untilJobIsProcessed();
    await begin();
    await sleep(OUTAGE_MS);
    await end();
    await untilJobIsProcessed();
  });
});

test('a worker asks a full Redis for jobs once a second, not continuously', async () => {
  t = await openTestWorker({ config: { redisUrl: redis.url }, log, started: false });
  const ids = await Promise.all(Array.from({ length: 5 }, () => t.accept()));
  await setMaxMemory(1);
  t.start();
  await Promise.all(ids.map((id) => t.until(id, 'sent')));
  await until(() => consumerErrors > 0);
  await sleep(2_000);
  expect(consumerErrors).toBeLessThan(100);
  await setMaxMemory(0);
});
