import { limits } from '@posthorn/domain/limits';
import { findWebhookBackoffSeconds, replayEvents, type Webhook, webhookRetryPauses } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { DAY_MS, HOUR_MS, newId, toFirstId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, until, untilWaiting } from '@posthorn/testing';
import type { Replay } from '../../src/webhooks/replay-events.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { openWorkspace } from '../accepting/commit-requests.js';
import { insertTestEvent } from '../events/insert-test-event.js';
import { addWebhook } from './add-webhook.js';

let ctx: Context;
let workspace: Workspace;
let webhook: Webhook;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it passes the events of all workspaces to webhooks' });
  workspace = await openWorkspace(ctx);
  webhook = await addWebhook(ctx, workspace.id);
});

afterEach(() => closeTestContext(ctx));

const DAYS = limits.webhookEventDays.max;

const ago = (days: number, ms = 0) => new Date(Date.now() - days * DAY_MS - ms);

/** Stores an event from that time. @returns its id */
async function storeEvent(at: Date): Promise<string> {
  const id = toFirstId(at.getTime()).slice(0, 15) + newId().slice(15);
  return insertTestEvent(ctx.db, workspace.id, { id, streamId: id, at });
}

/** Stores an event from that time, with a delivery that has failed. @returns its id */
async function storeFailed(at: Date): Promise<string> {
  const id = await storeEvent(at);
  const row = { webhook_id: webhook.id, event_id: id, workspace_id: workspace.id, stream_id: id, sequence: 1 };
  await ctx.db('webhook_deliveries').insert({ ...row, status: 'failed', attempt: 8, retries: 7 });
  return id;
}

const replay = (what: Replay) => replayEvents(ctx, workspace.id, { webhookId: webhook.id, replay: what });
const pending = async (): Promise<string[]> =>
  (await ctx.db('webhook_deliveries').where({ status: 'pending' }).orderBy('event_id')).map((row) => row.event_id);

test('a replayed event has time for its whole retry schedule before its delivery is deleted', () => {
  const longest = webhookRetryPauses
    .map((_, retries) => findWebhookBackoffSeconds(retries, limits.webhookRetryAfterSeconds.max, 1) ?? 0)
    .reduce((sum, seconds) => sum + seconds);
  expect(longest * 1_000).toBeLessThan((limits.webhookLogDays.max - DAYS) * DAY_MS - 12 * HOUR_MS);
});

describe('a period', () => {
  test('may begin as long ago as events can be replayed', async () => {
    const id = await storeEvent(ago(DAYS, -HOUR_MS));
    const period = { from: ago(DAYS, -2 * HOUR_MS), to: new Date() };
    expect(await replay(period)).toBe(0);
    await until(async () => (await replay({ ...period, from: ago(DAYS, -1_000) })) === 1);
    expect(await pending()).toEqual([id]);
  });

  test('is refused if it begins before that', async () => {
    await storeEvent(ago(DAYS + 1));
    await expect(replay({ from: ago(DAYS, 1_000), to: new Date() })).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { faults: [{ field: 'from', message: expect.stringContaining(`more than ${DAYS} days ago`) }] },
    });
    expect(await pending()).toEqual([]);
  });
});

test('a single event is refused if it is too old', async () => {
  const [old, recent] = [await storeFailed(ago(DAYS, 1_000)), await storeFailed(ago(DAYS, -HOUR_MS))];
  await expect(replay({ eventId: old })).rejects.toMatchObject({
    code: 'validation_failed',
    extras: { faults: [{ field: 'event_id', message: expect.stringContaining(`more than ${DAYS} days old`) }] },
  });
  expect(await replay({ eventId: recent })).toBe(1);
  expect(await pending()).toEqual([recent]);
});

test('an event that the webhook never had is not found', async () => {
  await expect(replay({ eventId: newId() })).rejects.toMatchObject({ code: 'not_found' });
});

test('replaying all failed events leaves out those that are too old', async () => {
  await storeFailed(ago(DAYS, 1_000));
  const recent = await storeFailed(ago(DAYS, -HOUR_MS));
  expect(await replay({ failed: true })).toBe(1);
  expect(await pending()).toEqual([recent]);
});

describe('each kind of replay', () => {
  let id: string;
  beforeEach(async () => {
    id = await storeFailed(ago(0, HOUR_MS));
  });

  const kinds: ReadonlyArray<[string, () => Replay]> = [
    ['a single event', () => ({ eventId: id })],
    ['a period', () => ({ from: ago(1), to: new Date() })],
    ['all that failed', () => ({ failed: true })],
  ];
  const isDue = async () => (await ctx.db('webhook_states').first('due_at')).due_at !== null;

  test.each(kinds)('makes the webhook due and ends a pause: %s', async (_, what) => {
    await ctx.db('webhook_states').update({ paused_until: ctx.db.raw("now() + interval '5 minutes'") });
    await until(async () => (await replay(what())) === 1);
    expect(await ctx.db('webhook_states').first('paused_until')).toEqual({ paused_until: null });
    expect([await pending(), await isDue()]).toEqual([[id], true]);
  });

  test.each(kinds)('changes nothing if the webhook cannot be made due: %s', async (_, what) => {
    await until(async () => (await replay({ from: ago(1), to: new Date() })) === 1);
    await ctx.db('webhook_deliveries').update({ status: 'failed', due_at: null });
    await ctx.db('webhook_states').update({ due_at: null });
    await ctx.db.raw('alter table webhook_states add constraint never_due check (due_at is null)');
    await expect(replay(what())).rejects.toThrow('never_due');
    expect(await pending()).toEqual([]);
  });

  test.each(kinds)('cannot deadlock with a worker that records results: %s', async (_, what) => {
    await until(async () => (await replay({ from: ago(1), to: new Date() })) === 1);
    await ctx.db('webhook_deliveries').update({ status: 'failed', due_at: null });
    const recording = await ctx.db.transaction();
    await recording('webhook_states').update({ revision: 1 });
    const replaying = replay(what());
    await untilWaiting(ctx.db, 'Lock');
    await recording('webhook_deliveries').update({ attempt: 8 });
    await recording.commit();
    expect(await replaying).toBe(1);
    expect(await pending()).toEqual([id]);
  });
});

test('replaying nothing leaves a paused webhook alone', async () => {
  const pausedUntil = new Date(Date.now() + HOUR_MS);
  await ctx.db('webhook_states').update({ paused_until: pausedUntil });
  expect(await replay({ failed: true })).toBe(0);
  expect(await ctx.db('webhook_states').first('due_at', 'paused_until')).toEqual({
    due_at: null,
    paused_until: pausedUntil,
  });
});
