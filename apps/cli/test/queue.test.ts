import { setTimeout as sleep } from 'node:timers/promises';
import { openAcceptContext } from '@posthorn/domain/accepting';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor, posthornWith } from './posthorn.js';

type Delivery = { dueSecondsAgo: number; isDue?: boolean; attempt?: number; isLeased?: boolean; needs?: number };

describe('posthorn queue', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'the command counts the emails of all workspaces' });
  });
  afterAll(() => closeTestContext(ctx));

  /** Adds an email that became due `dueSecondsAgo` seconds ago to the queue. */
  async function addDelivery(
    workspaceId: string,
    { dueSecondsAgo, isDue = true, attempt = 0, isLeased = false, needs = 0 }: Delivery,
  ): Promise<void> {
    const lease = isLeased ? new Date() : null;
    await ctx.db.raw(
      `insert into deliveries (email_id, workspace_id, due_at, is_due, attempt, lease_until, claimed_at, needs)
       values (?, ?, now() - ? * interval '1 second', ?, ?, ?, ?, ?)`,
      [newId(), workspaceId, dueSecondsAgo, isDue, attempt, lease, lease, needs] as string[],
    );
  }

  test('status prints the delivery job count and the number of waiting emails by status', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    for (const delivery of [
      { dueSecondsAgo: 600 },
      { dueSecondsAgo: 5, needs: 0x4001 },
      { dueSecondsAgo: 5, isDue: false },
      { dueSecondsAgo: -3_600, isDue: false },
      { dueSecondsAgo: -60, isDue: false, attempt: 1 },
      { dueSecondsAgo: 5, attempt: 1, isLeased: true },
    ]) {
      await addDelivery(workspaceId, delivery);
    }
    const accepting = openAcceptContext(ctx);
    accepting.deliveryJobs.announce([[newId(), newId()]]);
    while ((await ctx.redis.keys('*:wait')).length === 0) await sleep(10);
    await accepting.close();
    const status = parseOutput(await posthornFor(ctx)('queue', 'status', '--json'));
    expect(status).toEqual({
      due: 3,
      scheduled: 1,
      deferred: 1,
      sending: 1,
      parked: 0,
      needs_newer_worker: 1,
      oldest_due_seconds: expect.any(Number),
      jobs: { waiting: 1, active: 0, delayed: 0, failed: 0 },
      paused: [],
    });
    expect(status.oldest_due_seconds).toBeGreaterThanOrEqual(600);
  });

  test('status prints what Postgres knows while Redis is down', async () => {
    const { code, stdout } = await posthornWith({
      DATABASE_URL: ctx.config.databaseUrl,
      REDIS_URL: 'redis://127.0.0.1:1',
    })('queue', 'status', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ due: expect.any(Number), jobs: null, redis: expect.stringContaining('Redis') }),
    ]);
  });
});
