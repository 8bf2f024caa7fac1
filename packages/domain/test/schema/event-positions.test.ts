import { readEventLog } from '@posthorn/domain/events';
import { migrateDatabase } from '@posthorn/domain/schema';
import { fanOutEvents, leaseWebhooks, readWaitingEvents } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { MAX_EVENT_ID } from '../../src/events/event-log-store.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { openWorkspace } from '../accepting/commit-requests.js';
import { insertTestEvent } from '../events/insert-test-event.js';
import { addWebhook } from '../webhooks/add-webhook.js';

let ctx: Context;
let workspace: Workspace;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it moves the position of the whole event log' });
  workspace = await openWorkspace(ctx);
});

afterEach(() => closeTestContext(ctx));

/** As if the database had come from a cluster with much higher transaction numbers. */
const OLD = 900_000_000_000;
const QUERY = { after: null, limit: 100, type: null, emailId: null };

/** What every process does when it starts. */
const start = () => migrateDatabase(ctx.config.databaseUrl);

const storeEvent = () => insertTestEvent(ctx.db, workspace.id);

async function readAfter(position: number | string): Promise<string[]> {
  const after = { position: String(position), eventId: MAX_EVENT_ID };
  return (await readEventLog(ctx.db, workspace, { ...QUERY, after })).events.map(({ id }) => id);
}

async function untilSent(): Promise<string[]> {
  let sent: string[] = [];
  await until(async () => {
    await fanOutEvents(ctx.db, 100);
    const [webhook] = await leaseWebhooks(ctx, { free: 1, freeForNew: 1, freeForSlow: 1, held: new Map() });
    if (webhook)
      sent = (await readWaitingEvents(ctx.db, webhook, { after: webhook.place, scan: 100 })).events.map(({ id }) => id);
    return webhook !== undefined;
  });
  return sent;
}

test('new events follow the stored ones, and the cursors that clients got after the backup', async () => {
  const old = await storeEvent();
  await ctx.db('events').update({ position: OLD });
  await start();
  const fresh = await storeEvent();
  expect(await readAfter(0)).toEqual([old, fresh]);
  expect(await readAfter(OLD + 1_000_000_000)).toEqual([fresh]);
});

test('a webhook that was at the end of the log gets new events', async () => {
  await addWebhook(ctx, workspace.id);
  await ctx.db('webhook_states').update({ position: OLD, event_id: MAX_EVENT_ID });
  await start();
  const fresh = await storeEvent();
  expect(await untilSent()).toEqual([fresh]);
});

test('a fan-out that was at the end of the log finds new events', async () => {
  await ctx.db('webhook_cursor').update({ position: OLD, event_id: MAX_EVENT_ID });
  await start();
  await addWebhook(ctx, workspace.id);
  const fresh = await storeEvent();
  expect(await untilSent()).toEqual([fresh]);
});

test('an erasure does not wait until transaction numbers have caught up', async () => {
  const row = { id: newId(), workspace_id: workspace.id, address: Buffer.from(''), secret_key_id: '', below: newId() };
  await ctx.db('erasures').insert({ ...row, requested_at: new Date(), position: OLD });
  await start();
  const { rows } = await ctx.db.raw('select count(*) from erasures where position < event_horizon()');
  expect(rows[0].count).toBe(1);
});

test('positions change only once', async () => {
  await storeEvent();
  await ctx.db('events').update({ position: OLD });
  await start();
  const offset = async () => (await ctx.db.raw('select event_offset() as "offset"')).rows[0].offset;
  const before = await offset();
  await storeEvent();
  await addWebhook(ctx, workspace.id);
  await start();
  expect(await offset()).toBe(before);
});

test('a process that starts in the same cluster changes nothing', async () => {
  await addWebhook(ctx, workspace.id);
  await storeEvent();
  await start();
  expect((await ctx.db.raw('select event_offset() as "offset"')).rows).toEqual([{ offset: 0 }]);
});
