import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, type Context, keyAuthenticator, type Log } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { type AdmissionCheck, openAdmissionCheck } from '../../src/accepting/admission-check.js';
import { keys } from '../../src/redis/keys.js';
import { periodsAt } from '../../src/usage/periods.js';

let ctx: Context;
let admissionCheck: AdmissionCheck;
let caller: Caller;

beforeEach(async () => {
  ctx = await openTestContext({ config: { rateLimitPerMinute: 1_000 } });
  admissionCheck = openAdmissionCheck(ctx);
  const known = await keyAuthenticator(ctx)((await createTestWorkspace(ctx)).key);
  if (!known) throw new Error('The test key is not known');
  caller = known;
});

afterEach(() => closeTestContext(ctx));

const periods = periodsAt(new Date());
const idempotencyKey = { keyHash: 'a'.repeat(64), fingerprint: 'b'.repeat(64) };

function admissionOf(sends: number, more: { idempotencyKey?: typeof idempotencyKey } = {}) {
  const { workspace, id: callerId } = caller;
  return { callerId, workspace, periods, sends, idempotencyKey: null, ...more };
}

const counter = () => keys.usage(caller.workspace.id, periods.day);

describe('sends that were reserved by a process which died', () => {
  test('come free although others go on sending: a counter is never made to live longer', async () => {
    await admissionCheck.check(admissionOf(1));
    const lifeAtFirst = await ctx.redis.pexpiretime(counter());
    for (let i = 0; i < 20; i += 1) {
      await admissionCheck.check(admissionOf(1));
      await sleep(20);
    }
    expect(Number(await ctx.redis.get(counter()))).toBe(21);
    expect(await ctx.redis.pexpiretime(counter())).toBe(lifeAtFirst);
    expect(await ctx.redis.pttl(counter())).toBeLessThanOrEqual(60_000);
  });

  test('are gone when the counter is read from the ledger again', async () => {
    const cap = caller.workspace.allowance.daily ?? 0;
    for (let left = cap; left > 0; left -= 50) await admissionCheck.check(admissionOf(Math.min(left, 50)));
    await expect(admissionCheck.check(admissionOf(1))).rejects.toMatchObject({ code: 'daily_cap_exhausted' });
    await ctx.redis.pexpire(counter(), 1);
    await sleep(10);
    await admissionCheck.check(admissionOf(1));
    expect(await ctx.redis.get(counter())).toBe('1');
  });
});

describe('a key that was locked by a process which died', () => {
  test('is refused for a few seconds as in progress, then free for a repeat', async () => {
    await admissionCheck.check(admissionOf(1, { idempotencyKey }));
    await expect(admissionCheck.check(admissionOf(1, { idempotencyKey }))).rejects.toMatchObject({
      code: 'idempotency_in_progress',
    });
    expect(await admissionCheck.check(admissionOf(1, { idempotencyKey }))).toMatchObject({ replay: null });
  });
});

describe('counters that are not in Redis', () => {
  test('are read once for all sends that find them missing together', async () => {
    const reads: string[] = [];
    ctx.db.on('query', ({ sql }) => reads.push(sql));
    const another = openAdmissionCheck(ctx);
    const passed = await Promise.all(Array.from({ length: 100 }, () => another.check(admissionOf(1))));
    expect(passed).toHaveLength(100);
    expect(reads.filter((sql) => sql.includes('"usage"'))).toHaveLength(1);
    expect(await ctx.redis.get(counter())).toBe('100');
  });

  test('are read again where somebody forgot them as soon as they were read', async () => {
    const { log, events } = recordingLog();
    forgetAfterLoads(1);
    expect(await openAdmissionCheck({ ...ctx, log }).check(admissionOf(1))).toMatchObject({
      replay: null,
      rate: { remaining: 999 },
    });
    expect(await ctx.redis.get(counter())).toBe('1');
    expect(events).toEqual([]);
  });

  test('are left to the ledger where they are forgotten again and again: rate limit and keys hold', async () => {
    const { log, events } = recordingLog();
    forgetAfterLoads(Number.POSITIVE_INFINITY);
    const [one, another] = [openAdmissionCheck({ ...ctx, log }), openAdmissionCheck({ ...ctx, log })];
    one.cacheResponse(caller.workspace.id, idempotencyKey, 'the answer');
    expect(await one.check(admissionOf(1))).toMatchObject({ replay: null, rate: { remaining: 999 } });
    expect(await another.check(admissionOf(1))).toMatchObject({ replay: null, rate: { remaining: 998 } });
    expect(await another.check(admissionOf(1, { idempotencyKey }))).toMatchObject({ replay: 'the answer' });
    expect(events).toEqual([]);
  });
});

/** What so many cancellations do, each at the worst moment: between the counters' load and the next question. */
function forgetAfterLoads(times: number): void {
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
