import { endWebhookLease, type LeaseSlots, leaseWebhooks, readWebhookHealth } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { openWorkspace } from '../accepting/commit-requests.js';
import { addWebhook } from './add-webhook.js';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it leases the webhooks of all workspaces' });
});

afterEach(() => closeTestContext(ctx));

/**
 * @param kind whether their receivers accept events quickly, have never accepted any, or are slow
 * @returns the id of a workspace with so many due webhooks, which have waited for so many seconds
 */
async function openWaiting(webhooks: number, seconds: number, kind = 'known'): Promise<string> {
  const { id } = await openWorkspace(ctx);
  for (let count = 0; count < webhooks; count += 1) await addWebhook(ctx, id);
  await ctx.db.raw(
    `update webhook_states set due_at = now() - ?::int * interval '1 second', is_confirmed = ?,
       slow_until = case when ? then now() + interval '1 minute' end
     from webhooks where webhooks.id = webhook_id and workspace_id = ?`,
    [seconds, kind !== 'new', kind === 'slow', id],
  );
  return id;
}

const heldBy = (...entries: Array<[string, number]>): LeaseSlots['held'] => new Map(entries);

/** @returns the workspaces of the webhooks that were leased, sorted */
async function leased(free: number, held = heldBy(), share = free): Promise<string[]> {
  const slots = { free, freeForNew: share, freeForSlow: share, held };
  return (await leaseWebhooks(ctx, slots)).map(({ workspaceId }) => workspaceId).sort();
}

test.each(['new', 'slow'])('%s receivers share a part of the slots, however many wait', async (kind) => {
  for (let count = 0; count < 11; count += 1) await openWaiting(50, 600, kind);

  const other = await openWaiting(1, 0);
  const found = await leased(16, heldBy(), 4);
  expect(found).toHaveLength(5);
  expect(found).toContain(other);
  expect(new Set(found).size).toBe(5);
  expect(await leased(11, heldBy(), 0)).toEqual([]);
});

test('a receiver that was slow long ago is not slow', async () => {
  const id = await openWaiting(1, 0, 'slow');
  await ctx.db('webhook_states').update({ slow_until: ctx.db.raw("now() - interval '1 second'") });
  expect(await leased(1, heldBy(), 0)).toEqual([id]);
});

test('a workspace gets another slot only while it has fewer than are free', async () => {
  const many = await openWaiting(12, 60);
  expect(await leased(10)).toEqual(Array(5).fill(many));
  expect(await leased(5, heldBy([many, 5]))).toEqual([]);
  const late = await openWaiting(3, 0);
  expect(await leased(5, heldBy([many, 5]))).toEqual(Array(3).fill(late));
});

test('two workspaces get the same number of slots, even if one has waited longer', async () => {
  const first = await openWaiting(12, 60);
  const second = await openWaiting(12, 0);
  expect(await leased(9)).toEqual([...Array(3).fill(first), ...Array(3).fill(second)].sort());
});

test('a workspace that has a slot already comes after one without', async () => {
  const first = await openWaiting(2, 60);
  const second = await openWaiting(1, 0);
  expect(await leased(2, heldBy([first, 1]))).toEqual([second]);
});

test('the last slot goes to a workspace without any', async () => {
  const first = await openWaiting(1, 60);
  const second = await openWaiting(1, 0);
  expect(await leased(1, heldBy([first, 1]))).toEqual([second]);
});

test('workers that lease at the same time never get the same webhook', async () => {
  await openWaiting(20, 60);
  const leases = await Promise.all(
    Array.from({ length: 4 }, () => leaseWebhooks(ctx, { free: 10, freeForNew: 0, freeForSlow: 0, held: new Map() })),
  );
  const ids = leases.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(5);
});

test.each([
  ['stays, if no request of the lease succeeded', false, true],
  ['starts again, if one succeeded', true, false],
])('when a lease ends with a failure, failing_since %s', async (_, hasSucceeded, isUnchanged) => {
  await openWaiting(1, 0);
  const before = new Date(Date.now() - 60_000);
  await ctx.db('webhook_states').update({ failing_since: before });
  const [webhook] = await leaseWebhooks(ctx, { free: 1, freeForNew: 0, freeForSlow: 0, held: new Map() });
  if (!webhook) throw new Error('No webhook is due');
  await endWebhookLease(ctx.db, {
    ...webhook,
    failures: 3,
    hasSucceeded,
    pauseSeconds: 0,
    isSlow: false,
    postponeSeconds: 0,
  });
  const health = (await readWebhookHealth(ctx.db, [webhook.id])).get(webhook.id);
  expect(health?.failingSince?.getTime() === before.getTime()).toBe(isUnchanged);
  expect(health?.failingSince).not.toBeNull();
});
