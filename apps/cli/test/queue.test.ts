import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, newId, openAcceptContext } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

describe('posthorn queue', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  /** Inserts an email with this status that became due `dueSecondsAgo` seconds ago. */
  async function insertEmail(workspaceId: string, status: string, dueSecondsAgo: number): Promise<void> {
    await ctx.db.raw(
      `insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, due_at)
       values (?, ?, ?, 'a@example.com', 'a@example.com', 'Hi', '{}', 1, now(), '2026-03-01', now() - ? * interval '1 second')`,
      [newId(), workspaceId, status, dueSecondsAgo],
    );
  }

  test('status prints the delivery job count and the number of waiting emails by status', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    for (const [status, dueSecondsAgo] of [
      ['queued', 600],
      ['queued', 5],
      ['scheduled', 5],
      ['scheduled', -3_600],
      ['deferred', -60],
      ['sending', 5],
      ['sent', 600],
    ] as const) {
      await insertEmail(workspaceId, status, dueSecondsAgo);
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
      oldest_due_seconds: expect.any(Number),
      jobs: { waiting: 1, active: 0, delayed: 0, failed: 0 },
    });
    expect(status.oldest_due_seconds).toBeGreaterThanOrEqual(600);
  });
});
