import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { buildUsageKey } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Log } from '@posthorn/platform/logs';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { type AdmissionCheck, createAdmissionCheck } from '../../src/accepting/admission-check.js';
import { buildIdempotencyRedisKey } from '../../src/accepting/idempotency-key.js';
import { getPeriods } from '../../src/workspaces/usage.js';

let ctx: Context;
let admissionCheck: AdmissionCheck;
let caller: Caller;

beforeEach(async () => {
  ctx = await openTestContext({ config: { rateLimitPerMinute: 1_000 } });
  admissionCheck = createAdmissionCheck(ctx);
  const authenticated = await authenticateKey(
    { ...ctx, credentials: { keys: createKeyCache() } },
    (await createTestWorkspace(ctx)).key,
  );
  if (!authenticated) throw new Error('The test key was not accepted');
  caller = authenticated;
});

afterEach(() => closeTestContext(ctx));

/** Memory in Redis per idempotency key, as stated in docs/operating/databases.md. */
const MAX_KEY_BYTES = 330;

const periods = getPeriods(new Date());
const idempotencyKey = { keyHash: 'a'.repeat(64), fingerprint: 'b'.repeat(64) };

function buildAdmission(sends: number, more: { emails?: number; idempotencyKey?: typeof idempotencyKey } = {}) {
  const { workspace, id: callerId } = caller;
  return { callerId, workspace, periods, emails: 1, sends, idempotencyKey: null, ...more };
}

const counter = () => buildUsageKey(ctx, caller.workspace.id, periods.day);

describe('sends reserved by a process that died', () => {
  test('are freed even if sending continues, because sends do not extend the expiry of a counter', async () => {
    await admissionCheck.check(buildAdmission(1));
    const firstExpiry = await ctx.redis.pexpiretime(counter());
    for (let i = 0; i < 20; i += 1) {
      await admissionCheck.check(buildAdmission(1));
      await sleep(20);
    }
    expect(Number(await ctx.redis.get(counter()))).toBe(21);
    expect(await ctx.redis.pexpiretime(counter())).toBe(firstExpiry);
    expect(await ctx.redis.pttl(counter())).toBeLessThanOrEqual(60_000);
  });

  test('are no longer counted once the counter is reloaded from Postgres', async () => {
    const cap = caller.workspace.allowance.daily ?? 0;
    for (let left = cap; left > 0; left -= 50) await admissionCheck.check(buildAdmission(Math.min(left, 50)));
    await expect(admissionCheck.check(buildAdmission(1))).rejects.toMatchObject({ code: 'daily_cap_exhausted' });
    await ctx.redis.pexpire(counter(), 1);
    await sleep(10);
    await admissionCheck.check(buildAdmission(1));
    expect(await ctx.redis.get(counter())).toBe('1');
  });
});

describe('an idempotency key locked by a process that died', () => {
  test('is reported as in progress for a few seconds, after which a retry is admitted', async () => {
    await admissionCheck.check(buildAdmission(1, { idempotencyKey }));
    await expect(admissionCheck.check(buildAdmission(1, { idempotencyKey }))).rejects.toMatchObject({
      code: 'idempotency_in_progress',
    });
    expect(await admissionCheck.check(buildAdmission(1, { idempotencyKey }))).toMatchObject({ isStored: false });
  });
});

describe('an idempotency key with a stored response', () => {
  test('takes up a few hundred bytes in Redis for two minutes, however long the response is', async () => {
    admissionCheck.writeStoredKey(caller.workspace.id, idempotencyKey);
    const key = buildIdempotencyRedisKey(ctx, caller.workspace.id, idempotencyKey.keyHash);
    while ((await ctx.redis.exists(key)) === 0) await sleep(5);
    expect(await ctx.redis.hgetall(key)).toEqual({ fingerprint: idempotencyKey.fingerprint, stored: '1' });
    expect(await ctx.redis.memory('USAGE', key)).toBeLessThan(MAX_KEY_BYTES);
    expect(await ctx.redis.ttl(key)).toBeLessThanOrEqual(120);
  });
});

describe('counters that are not in Redis', () => {
  test('are loaded only once when several sends find them missing at the same time', async () => {
    const reads: string[] = [];
    ctx.db.on('query', ({ sql }) => reads.push(sql));
    const another = createAdmissionCheck(ctx);
    const admitted = await Promise.all(Array.from({ length: 100 }, () => another.check(buildAdmission(1))));
    expect(admitted).toHaveLength(100);
    expect(reads.filter((sql) => sql.includes('"usage"'))).toHaveLength(1);
    expect(await ctx.redis.get(counter())).toBe('100');
  });

  test('are reloaded if they are deleted right after loading', async () => {
    const { log, events } = recordingLog();
    deleteAfterLoads(1);
    expect(await createAdmissionCheck({ ...ctx, log }).check(buildAdmission(1))).toMatchObject({
      isStored: false,
      rate: { remaining: 999 },
    });
    expect(await ctx.redis.get(counter())).toBe('1');
    expect(events).toEqual([]);
  });

  test('are skipped if they keep disappearing, while the rate limit and idempotency keys still apply', async () => {
    const { log, events } = recordingLog();
    deleteAfterLoads(Number.POSITIVE_INFINITY);
    const [one, another] = [createAdmissionCheck({ ...ctx, log }), createAdmissionCheck({ ...ctx, log })];
    one.writeStoredKey(caller.workspace.id, idempotencyKey);
    expect(await one.check(buildAdmission(1))).toMatchObject({ isStored: false, rate: { remaining: 999 } });
    expect(await another.check(buildAdmission(1))).toMatchObject({ isStored: false, rate: { remaining: 998 } });
    expect(await another.check(buildAdmission(1, { idempotencyKey }))).toMatchObject({ isStored: true });
    expect(events).toEqual([]);
  });
});

/** Deletes the counter right after each of the first `times` loads, as a badly timed cancellation would. */
function deleteAfterLoads(times: number): void {
  const { redis } = ctx;
  const open = redis.pipeline.bind(redis);
  let left = times;
  redis.pipeline = () => {
    const pipeline = open();
    const exec = pipeline.exec.bind(pipeline);
    pipeline.exec = async () => {
      const loaded = await exec();
      left -= 1;
      if (left >= 0) await redis.del(counter());
      return loaded;
    };
    return pipeline;
  };
}

function recordingLog(): { log: Log; events: string[] } {
  const events: string[] = [];
  const record = (_fields: object, event: string) => void events.push(event);
  return { log: { debug: record, info: record, warn: record, error: record }, events };
}
