import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmissionCheck } from '@posthorn/domain/accepting';
import { type Caller, guardLogin } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { countJobs, findHandoffMarkers, openDeliveryJobs, writeHandoffMarker } from '@posthorn/domain/delivery';
import { Refusal } from '@posthorn/domain/errors';
import { listenForEvents, signalEvents } from '@posthorn/domain/events';
import { countRequest, createWindows } from '@posthorn/domain/throttles';
import { getPeriods } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis, type RedisClient } from '@posthorn/platform/redis';
import { newId } from '@posthorn/platform/values';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  startCluster,
  startSentinels,
  until,
} from '@posthorn/testing';
import { checkHealth } from '../../src/metrics/health.js';
import { connectRedis } from '../../src/redis/connect.js';

const RATE_LIMIT = 30;
const log = createLog('test', 'silent');
const periods = getPeriods(new Date());

const deployments: Array<[string, () => Promise<{ url: string; close(): Promise<void> }>]> = [
  ['Redis Cluster', startCluster],
  ['a master that Sentinels watch', startSentinels],
];

/** A cluster opens the connections to its nodes when it is ready. */
async function untilConnected(redis: RedisClient): Promise<void> {
  await until(() => redis.status === 'ready');
  if ('nodes' in redis) await until(() => redis.nodes().every((node) => node.status === 'ready'));
}

describe.each(deployments)('with %s', (_title, start) => {
  let deployment: Awaited<ReturnType<typeof start>>;
  let ctx: Context;

  beforeAll(async () => {
    deployment = await start();
    ctx = await openTestContext({ config: { redisUrl: deployment.url, rateLimitPerMinute: RATE_LIMIT } });
    await untilConnected(ctx.redis);
  }, 60_000);

  afterAll(async () => {
    await closeTestContext(ctx);
    await deployment.close();
  });

  async function newCaller(): Promise<Caller> {
    const caller = await authenticateKey(
      { ...ctx, credentials: { keys: createKeyCache() } },
      (await createTestWorkspace(ctx)).key,
    );
    if (!caller) throw new Error('The test key was not accepted');
    return caller;
  }

  const buildAdmission = (
    { id: callerId, workspace }: Caller,
    idempotencyKey: ReturnType<typeof keyNumber> | null,
  ) => ({
    callerId,
    workspace,
    periods,
    emails: 1,
    sends: 1,
    idempotencyKey,
  });

  const keyNumber = (number: number) => ({ keyHash: `${number}`.padStart(64, '0'), fingerprint: 'f'.repeat(64) });

  async function readCodes(calls: Array<Promise<unknown>>): Promise<Array<string | null>> {
    return Promise.all(
      calls.map((call) =>
        call.then(
          () => null,
          (error) => (error as Refusal).code,
        ),
      ),
    );
  }

  test('processes share one rate limit for each of many workspaces', async () => {
    const callers = await Promise.all(Array.from({ length: 8 }, newCaller));
    const second = connectRedis(deployment.url, log);
    await untilConnected(second);
    const checks = [createAdmissionCheck(ctx), createAdmissionCheck({ ...ctx, redis: second })];
    for (const caller of callers) {
      const calls = Array.from({ length: 2 * RATE_LIMIT }, (_, n) =>
        checks[n % 2]?.check(buildAdmission(caller, null)),
      );
      const codes = await readCodes(calls as Array<Promise<unknown>>);
      expect(codes.filter((code) => code === null)).toHaveLength(RATE_LIMIT);
      expect(new Set(codes)).toEqual(new Set([null, 'rate_limited']));
    }
    second.disconnect();
  });

  test('idempotency keys of many workspaces that are answered together are all remembered', async () => {
    const callers = await Promise.all(Array.from({ length: 8 }, newCaller));
    const { check, writeStoredKey } = createAdmissionCheck(ctx);
    await Promise.all(callers.map((caller, n) => check(buildAdmission(caller, keyNumber(n)))));
    callers.forEach(({ workspace }, n) => {
      writeStoredKey(workspace.id, keyNumber(n));
    });
    const replies = await Promise.all(callers.map((caller, n) => check(buildAdmission(caller, keyNumber(n)))));
    expect(replies.map(({ isStored }) => isStored)).toEqual(callers.map(() => true));
  });

  test('other requests and failed logins are limited', async () => {
    const caller = await newCaller();
    const limited = { ...ctx, windows: createWindows() };
    const first = await countRequest(limited, 'requests', caller);
    expect((await countRequest(limited, 'requests', caller)).remaining).toBe(first.remaining - 1);

    const attempt = { peer: '192.0.2.1', email: `${newId()}@example.com`, device: null };
    const fail = () =>
      guardLogin({ ...ctx, windows: createWindows() }, attempt, () => Promise.reject(new Refusal('invalid_login')));
    const codes: Array<string | null> = [];
    // These windows count nothing if Redis does not.
    for (let n = 0; n < 12; n += 1) codes.push(...(await readCodes([fail()])));
    expect(codes.at(-1)).toBe('rate_limited');
  });

  test('handoff markers of several attempts are found together', async () => {
    const id = newId();
    const recipientResults = [
      { position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse: '250 OK' } as const,
    ];
    for (const attempt of [1, 2]) await writeHandoffMarker(ctx, { id, attempt, recipientResults }, 60);
    const counts = { ambiguousAttempts: 2, unsentAttempts: 0 };
    expect(await findHandoffMarkers(ctx, { id, attempt: 3, ...counts })).toHaveLength(2);
  });

  test('delivery jobs are added and counted, and signals of events arrive', async () => {
    const jobs = openDeliveryJobs({ redis: ctx.redis, log });
    jobs.announce([[newId(), newId()]]);
    await until(async () => (await countJobs(ctx.redis)).waiting === 1);
    await jobs.close();

    let signals = 0;
    const listening = listenForEvents({ config: { redisUrl: deployment.url }, log }, () => {
      signals += 1;
    });
    await until(async () => {
      signalEvents(ctx);
      await sleep(30);
      return signals > 0;
    });
    listening.close();
  });

  test('health is that of the masters', async () => {
    expect((await checkHealth(ctx)).redis).toEqual({ reachable: true, evicts: false, full: false });
    const other = ctx.redis as RedisClient;
    const masters = 'nodes' in other ? other.nodes('master') : [other];
    await masters.at(-1)?.config('SET', 'maxmemory', '1');
    await until(async () => (await checkHealth(ctx)).redis.full === true);
    expect((await checkHealth(ctx)).redis).toEqual({ reachable: true, evicts: false, full: true });
    await masters.at(-1)?.config('SET', 'maxmemory', '0');
  });

  test('hosts may be names', async () => {
    const redis = connectRedis(deployment.url.replaceAll('127.0.0.1', 'localhost'), log);
    await untilConnected(redis);
    expect(await redis.set('key', 'value')).toBe('OK');
    redis.disconnect();
  });

  test('a blocking connection works', async () => {
    const redis = connectBlockingRedis(deployment.url, log);
    const popped = redis.blpop('list', 5);
    await ctx.redis.lpush('list', 'value');
    expect(await popped).toEqual(['list', 'value']);
    redis.disconnect();
  });
});
