import type { Caller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, until } from '@posthorn/testing';
import { createAdmissionCheck } from '../../src/accepting/admission-check.js';
import { buildEmailWindows } from '../../src/accepting/admission-request.js';
import { getPeriods } from '../../src/workspaces/usage.js';

const LIMIT = 4_000;
/** What ten requests that arrive together reserve. */
const RESERVED = 100;

let ctx: Context;
let caller: Caller;

beforeEach(async () => {
  ctx = await openTestContext({ config: { rateLimitPerMinute: LIMIT } });
});

afterEach(() => closeTestContext(ctx));

async function openWorkspace(limits: { monthly: number | null; daily: number | null }): Promise<void> {
  const { workspaceId, key } = await createTestWorkspace(ctx);
  await setWorkspaceLimits(ctx, operator, workspaceId, limits);
  const found = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!found) throw new Error('The test key was not accepted');
  caller = found;
}

function openProcess() {
  const { check } = createAdmissionCheck(ctx);
  const send = async (emails = 1) => {
    const { id: callerId, workspace } = caller;
    const periods = getPeriods(new Date());
    const { rate } = await check({ callerId, workspace, periods, emails, sends: emails, idempotencyKey: null });
    return rate;
  };
  return { send, sendTogether: (count: number) => Promise.allSettled(Array.from({ length: count }, () => send())) };
}

/** What counts against the rate limit in Redis. */
async function readCounted(): Promise<number> {
  const { ofCaller } = buildEmailWindows({ callerId: caller.id, workspace: caller.workspace });
  return Number(await ctx.redis.hget(ofCaller.key, 'total'));
}

describe('a caller whose requests arrive together', () => {
  beforeEach(() => openWorkspace({ monthly: null, daily: null }));

  test('is admitted from a reserve, and each response says exactly how much is left', async () => {
    const { send, sendTogether } = openProcess();
    await sendTogether(10);
    expect(await readCounted()).toBe(10 + RESERVED);
    for (let sent = 11; sent <= 30; sent += 1) expect(await send()).toMatchObject({ remaining: LIMIT - sent });
    expect(await send(20)).toMatchObject({ limit: LIMIT, remaining: LIMIT - 50 });
    expect(await readCounted()).toBe(10 + RESERVED);
  });

  test('gets back what it does not use', async () => {
    const { send, sendTogether } = openProcess();
    await sendTogether(10);
    await send();
    await until(async () => (await readCounted()) === 11);
    expect(await send()).toMatchObject({ remaining: LIMIT - 12 });
  });

  test('has its reserve counted by another process', async () => {
    await openProcess().sendTogether(10);
    expect(await openProcess().send()).toMatchObject({ remaining: LIMIT - 10 - RESERVED - 1 });
  });

  test('sends exactly as many as the limit allows, however many processes admit them', async () => {
    const processes = [openProcess(), openProcess(), openProcess()];
    let admitted = 0;
    const sendEverywhere = async (count: number) => {
      const results = await Promise.all(processes.map(({ sendTogether }) => sendTogether(count)));
      admitted += results.flat().filter(({ status }) => status === 'fulfilled').length;
    };
    for (let round = 0; round < 20; round += 1) {
      await sendEverywhere(90);
      expect(admitted).toBeLessThanOrEqual(LIMIT);
    }
    await until(async () => (await readCounted()) === admitted);
    await openProcess().sendTogether(LIMIT - admitted);
    expect(await readCounted()).toBe(LIMIT);
    await expect(openProcess().send()).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('is not counted as less than nothing if Redis loses its data', async () => {
    const { send, sendTogether } = openProcess();
    await sendTogether(10);
    await ctx.redis.flushdb();
    await openProcess().send();
    await sendTogether(RESERVED + 1);
    expect((await send()).remaining).toBeLessThan(LIMIT);
    expect(await readCounted()).toBeGreaterThan(0);
  });
});

describe('nothing is reserved', () => {
  test('for requests with an idempotency key', async () => {
    await openWorkspace({ monthly: null, daily: null });
    const { check } = createAdmissionCheck(ctx);
    const keyed = Array.from({ length: 10 }, (_, index) => ({ keyHash: `${index}`, fingerprint: 'a' }));
    const { id: callerId, workspace } = caller;
    const request = { callerId, workspace, periods: getPeriods(new Date()), emails: 1, sends: 1 };
    await Promise.all(keyed.map((idempotencyKey) => check({ ...request, idempotencyKey })));
    expect(await readCounted()).toBe(10);
  });

  test('for a batch', async () => {
    await openWorkspace({ monthly: null, daily: null });
    await openProcess().send(50);
    expect(await readCounted()).toBe(50);
  });

  test('for requests that arrive one by one', async () => {
    await openWorkspace({ monthly: null, daily: null });
    const { send } = openProcess();
    for (let sent = 1; sent <= 10; sent += 1) await send();
    expect(await readCounted()).toBe(10);
  });

  test.each([
    { daily: 25, monthly: null },
    { daily: null, monthly: 25 },
  ])('close to a cap: %p', async (caps) => {
    await openWorkspace(caps);
    await openProcess().sendTogether(10);
    expect(await readCounted()).toBe(10);
  });
});
