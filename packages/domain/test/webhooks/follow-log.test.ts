import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import {
  type DeliveryResult,
  disableWebhook,
  endWebhookLease,
  fanOutEvents,
  type LeasedWebhook,
  leaseWebhooks,
  readWaitingEvents,
  recordDeliveries,
  updateWebhook,
  type Webhook,
  type WebhookSettings,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import type { LoggedEvent } from '../../src/events/event.js';
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

const storeEvent = (db: Context['db'], type?: string) => insertTestEvent(db, workspace.id, { type });

async function lease(): Promise<LeasedWebhook> {
  const [leased] = await leaseWebhooks(ctx, { free: 1, freeForNew: 1, freeForSlow: 1, held: new Map() });
  if (!leased) throw new Error('No webhook is due');
  return leased;
}

const delivered = ({ id, streamId, sequence }: LoggedEvent): DeliveryResult => ({
  eventId: id,
  streamId,
  sequence,
  attempt: 0,
  status: 'delivered',
  retryInSeconds: null,
  made: null,
});

const record = (
  leased: LeasedWebhook,
  events: readonly LoggedEvent[],
  place = leased.place,
  revision = leased.revision,
) => recordDeliveries(ctx.db, leased, { results: events.map(delivered), place, revision });

const endLease = (leased: LeasedWebhook, place = leased.place, revision = leased.revision) =>
  endWebhookLease(ctx.db, {
    id: leased.id,
    lease: leased.lease,
    url: leased.url,
    place,
    revision,
    failures: 0,
    hasSucceeded: true,
    pauseSeconds: 0,
    isSlow: false,
    postponeSeconds: 0,
  });

/** Sends what is waiting, as a worker does. @returns the ids of the events */
async function takeTurn(leased: LeasedWebhook, scan = 5): Promise<string[]> {
  const sent: string[] = [];
  let { place, revision } = leased;
  for (let hasMore = true; hasMore; ) {
    const page = await readWaitingEvents(ctx.db, leased, { after: place, scan });
    place = page.end;
    hasMore = page.hasMore;
    await record(leased, page.events, place, revision);
    revision += 1;
    sent.push(...page.events.map(({ id }) => id));
  }
  await endLease(leased, place, revision);
  return sent;
}

const isDue = async () => (await ctx.db('webhook_states').first('due_at'))?.due_at !== null;

/** Lets the fan-out read all events that are committed. */
async function fanOutAll(): Promise<void> {
  await until(async () => {
    await fanOutEvents(ctx.db, 100);
    const [row] = await ctx.db('webhook_cursor').select({
      isAtEnd: ctx.db.raw(
        'not exists (select from events where (events.position, id) > (webhook_cursor.position, event_id))',
      ),
    });
    return row.isAtEnd;
  });
}

async function sendAll(): Promise<string[]> {
  await until(async () => {
    await fanOutEvents(ctx.db, 100);
    return isDue();
  });
  return takeTurn(await lease());
}

const change = (changes: Partial<WebhookSettings>) =>
  updateWebhook(ctx, operator, { id: workspace.id, liveId: workspace.id }, { id: webhook.id, changes });

/** Changes the filters again and again, but always wants `email.sent`. */
async function changeFilters(count: number): Promise<void> {
  const events = count % 2 === 0 ? (['email.sent'] as const) : (['email.sent', 'email.bounced'] as const);
  await change({ events });
  await sleep(2);
}

/** Disables and enables the webhook again and again. */
async function switchOffAndOn(count: number): Promise<void> {
  await change({ status: count % 2 === 0 ? 'enabled' : 'disabled' });
  await sleep(2);
}

test.each([
  ['whenever the fan-out runs', () => sleep(2)],
  ['whenever the filters change', changeFilters],
  ['whenever it is disabled and enabled', switchOffAndOn],
])('a webhook gets every event once, however long the transactions take and %s', async (_when, disturb) => {
  const stored: string[] = [];
  const sent: string[] = [];
  let writing = true;
  const write = async (writer: number) => {
    for (let count = 1; count <= 60; count += 1) {
      await ctx.db.transaction(async (trx) => {
        stored.push(await storeEvent(trx));
        await storeEvent(trx, 'email.accepted');
        if ((count + writer) % 7 === 0) await sleep(15);
      });
    }
  };
  const fanOut = async () => {
    while (writing || (await fanOutEvents(ctx.db, 20)).events > 0 || sent.length < stored.length) {
      await fanOutEvents(ctx.db, 20);
    }
  };
  const work = async () => {
    while (writing || sent.length < stored.length) {
      const [leased] = await leaseWebhooks(ctx, { free: 1, freeForNew: 1, freeForSlow: 1, held: new Map() });
      if (leased) sent.push(...(await takeTurn(leased)));
    }
  };
  const writers = Promise.all([1, 2, 3].map(write)).then(() => {
    writing = false;
  });
  const disturbing = async () => {
    for (let count = 1; writing; count += 1) await disturb(count);
    await disturb(0);
  };
  await Promise.all([writers, fanOut(), work(), work(), disturbing()]);
  expect(sent.sort()).toEqual(stored.sort());
});

test('events that are written while a lease ends make the webhook due again', async () => {
  await storeEvent(ctx.db);
  await until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  const leased = await lease();
  const page = await readWaitingEvents(ctx.db, leased, { after: leased.place, scan: 100 });
  const late = await storeEvent(ctx.db);
  const ending = await ctx.db.transaction();
  await ending.raw('select from webhook_states for update');
  // The worker has decided that nothing is due, but has not committed yet.
  await ending('webhook_states').update({ due_at: null, lease_until: null, position: page.end.position });
  const fannedOut = until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  await sleep(50);
  await ending.commit();
  await fannedOut;
  expect(await isDue()).toBe(true);
  expect(await takeTurn(await lease())).toContain(late);
});

test('after a worker has vanished, the next one reads only what was not recorded', async () => {
  const ids = [await storeEvent(ctx.db), await storeEvent(ctx.db), await storeEvent(ctx.db)];
  await until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  const leased = await lease();
  const { events } = await readWaitingEvents(ctx.db, leased, { after: leased.place, scan: 100 });
  const [, second] = events as [LoggedEvent, LoggedEvent];
  await record(leased, [second]);
  await ctx.db('webhook_states').update({ lease_until: ctx.db.raw("now() - interval '1 second'") });
  expect(await takeTurn(await lease())).toEqual(ids.filter((id) => id !== second.id));
});

test('a worker whose lease is over records nothing', async () => {
  await storeEvent(ctx.db);
  await until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  const leased = await lease();
  const { events, end } = await readWaitingEvents(ctx.db, leased, { after: leased.place, scan: 100 });
  await ctx.db('webhook_states').update({ lease: leased.lease + 1 });
  await expect(record(leased, events, end)).rejects.toThrow('The lease is over');
  const [state] = await ctx.db('webhook_states').select('position');
  expect(String(state.position)).toBe(leased.place.position);
});

test('what Postgres loses in a crash is sent again by the next worker', async () => {
  const ids = [await storeEvent(ctx.db), await storeEvent(ctx.db)];
  await until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  const leased = await lease();
  const { events, end } = await readWaitingEvents(ctx.db, leased, { after: leased.place, scan: 100 });
  const [first, second] = events as [LoggedEvent, LoggedEvent];
  await record(leased, [first]);
  // As after a crash: the results were committed, but are not on disk.
  await ctx.db('webhook_deliveries').delete();
  await ctx.db('webhook_states').update({ revision: leased.revision });
  await expect(record(leased, [second], end, leased.revision + 1)).rejects.toThrow('earlier results were lost');
  await endLease(leased, end, leased.revision + 1);
  await ctx.db('webhook_states').update({ lease_until: ctx.db.raw("now() - interval '1 second'") });
  expect(await takeTurn(await lease())).toEqual(ids);
});

test('a webhook that is enabled again gets the events since it was disabled', async () => {
  const of = { id: workspace.id, liveId: workspace.id };
  await updateWebhook(ctx, operator, of, { id: webhook.id, changes: { status: 'disabled' } });
  const missed = await storeEvent(ctx.db);
  await fanOutEvents(ctx.db, 100);
  expect(await leaseWebhooks(ctx, { free: 1, freeForNew: 1, freeForSlow: 1, held: new Map() })).toEqual([]);
  await updateWebhook(ctx, operator, of, { id: webhook.id, changes: { status: 'enabled' } });
  expect(await sendAll()).toEqual([missed]);
});

test('filters that change while a webhook is disabled do not apply to events from before that', async () => {
  await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  await change({ status: 'disabled' });
  const missed = await storeEvent(ctx.db, 'email.accepted');
  await change({ events: ['email.accepted'] });
  await change({ status: 'enabled' });
  expect(await sendAll()).toEqual([missed]);
});

test('filters that change after the service disabled a webhook do not apply to earlier events', async () => {
  await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  await disableWebhook(ctx, webhook, 'failing');
  const missed = await storeEvent(ctx.db, 'email.accepted');
  await change({ events: ['email.accepted'], status: 'enabled' });
  expect(await sendAll()).toEqual([missed]);
});

test('an event that the fan-out has not read when a webhook is disabled is sent when it is enabled again', async () => {
  const waiting = await storeEvent(ctx.db);
  await change({ status: 'disabled' });
  const missed = await storeEvent(ctx.db);
  await fanOutAll();
  await change({ status: 'enabled' });
  expect(await sendAll()).toEqual([waiting, missed]);
});

test('a webhook that is enabled again skips events that are too old', async () => {
  const of = { id: workspace.id, liveId: workspace.id };
  await updateWebhook(ctx, operator, of, { id: webhook.id, changes: { status: 'disabled' } });
  await storeEvent(ctx.db);
  await ctx.db('events').update({ created_at: ctx.db.raw("now() - interval '29 days'") });
  const missed = await storeEvent(ctx.db);
  await updateWebhook(ctx, operator, of, { id: webhook.id, changes: { status: 'enabled' } });
  expect(await sendAll()).toEqual([missed]);
});

test('new filters have no effect on older events that the fan-out has read', async () => {
  await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  await change({ events: ['email.accepted'] });
  const wanted = await storeEvent(ctx.db, 'email.accepted');
  expect(await sendAll()).toEqual([wanted]);
});

test('new filters have no effect on older events while only a retry is waiting', async () => {
  await ctx.db('webhook_states').update({ due_at: ctx.db.raw("now() + interval '1 hour'") });
  await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  await change({ events: ['email.accepted'] });
  const wanted = await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  expect(await takeTurn(await lease())).toEqual([wanted]);
});

test('an event that was written before the filters changed is sent, even if the fan-out has not read it yet', async () => {
  const wanted = await storeEvent(ctx.db);
  await change({ events: ['email.sent', 'email.bounced'] });
  expect(await sendAll()).toEqual([wanted]);
});

test('new filters apply to the events that are waiting', async () => {
  await storeEvent(ctx.db);
  await storeEvent(ctx.db, 'email.accepted');
  const wanted = await storeEvent(ctx.db, 'email.bounced');
  await fanOutAll();
  await change({ events: ['email.bounced'] });
  expect(await takeTurn(await lease())).toEqual([wanted]);
});

test('settings that repeat the same filters move nothing', async () => {
  const filters = { domainIds: [newId(), newId()], tags: ['kind:receipt', 'kind:invoice'] };
  await ctx.db('webhooks').update({ domain_ids: filters.domainIds, tags: filters.tags });
  await storeEvent(ctx.db, 'email.accepted');
  await fanOutAll();
  const place = () => ctx.db('webhook_states').first('position', 'event_id');
  const before = await place();
  await change({ description: 'Receipts', events: ['email.sent'], tags: filters.tags.toReversed() });
  expect(await place()).toEqual(before);
  await change({ tags: ['kind:receipt'] });
  expect(await place()).not.toEqual(before);
});

test('nothing is written for a webhook that was deleted in the meantime', async () => {
  await storeEvent(ctx.db);
  await until(async () => (await fanOutEvents(ctx.db, 100)).events > 0);
  const leased = await lease();
  const { events, end } = await readWaitingEvents(ctx.db, leased, { after: leased.place, scan: 100 });
  await ctx.db('webhooks').delete();
  await expect(record(leased, events, end)).rejects.toThrow('The lease is over');
  expect(await ctx.db('webhook_deliveries')).toEqual([]);
});
