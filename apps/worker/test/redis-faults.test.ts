import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBlockingRedis, createLog } from '@posthorn/domain';
import { type RedisServer, startRedis } from '@posthorn/servers';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

/** Longer than BullMQ waits for a job at a time, 5 s: worse things happen to it then. */
const OUTAGE_MS = 6_500;

let t: TestWorker;
let dataDir: string;
let redis: RedisServer;
let consumerErrors: number;

const ignore = () => {};
function count(_fields: object, event: string): void {
  if (event === 'consumer_error') consumerErrors += 1;
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

/** Sends until a bell is heard, for which the sweep, once a minute, is no substitute. */
async function untilBellIsHeard(): Promise<void> {
  for (;;) {
    const id = await t.accept();
    await sleep(250);
    if ((await t.read(id)).status === 'sent') return;
  }
}

describe.each(outages)('a Redis that is %s for some seconds', (_title, begin, end) => {
  test('stops no mail', async () => {
    t = await openTestWorker({ config: { redisUrl: redis.url }, log });
    await t.until(await t.accept(), 'sent');
    await begin();
    for (const until = Date.now() + OUTAGE_MS; Date.now() < until; ) await t.until(await t.accept(), 'sent');
    await end();
    await t.until(await t.accept(), 'sent');
  });

  test('is heard again once it is back', async () => {
    t = await openTestWorker({ config: { redisUrl: redis.url, sweepIntervalMs: 60_000 }, log });
    await untilBellIsHeard();
    await begin();
    await sleep(OUTAGE_MS);
    await end();
    await untilBellIsHeard();
  });
});

test('a Redis that became full with bells in it is asked again once a second, not without a pause', async () => {
  t = await openTestWorker({ config: { redisUrl: redis.url }, log, started: false });
  const ids = await Promise.all(Array.from({ length: 5 }, () => t.accept()));
  await setMaxMemory(1);
  t.start();
  await Promise.all(ids.map((id) => t.until(id, 'sent')));
  await sleep(2_000);
  expect(consumerErrors).toBeGreaterThan(0);
  expect(consumerErrors).toBeLessThan(100);
  await setMaxMemory(0);
});
