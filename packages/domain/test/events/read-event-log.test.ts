import { setTimeout as sleep } from 'node:timers/promises';
import { type LoggedEvent, readEventLog } from '@posthorn/domain/events';
import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import type { EventCursor } from '../../src/events/event-log-store.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { openWorkspace } from '../accepting/commit-requests.js';
import { insertTestEvent } from './insert-test-event.js';

let ctx: Context;
let workspace: Workspace;

beforeEach(async () => {
  ctx = await openTestContext();
  workspace = await openWorkspace(ctx);
});

afterEach(() => closeTestContext(ctx));

const QUERY = { after: null, limit: 100, type: null, emailId: null };

/** Stores an event of an email in an open transaction. @returns its id */
const storeEvent = (db: Db, options?: Parameters<typeof insertTestEvent>[2]) =>
  insertTestEvent(db, workspace.id, options);

/** Follows the log until it has read the event with this id. An empty page does not mean that nothing is left. */
async function followUntil(lastId: string): Promise<LoggedEvent[]> {
  const seen: LoggedEvent[] = [];
  let after: EventCursor | null = null;
  for (;;) {
    const page = await readEventLog(ctx.db, workspace, { ...QUERY, after, limit: 7 });
    seen.push(...page.events);
    after = page.next;
    if (page.events.some(({ id }) => id === lastId)) return seen;
    if (page.events.length === 0) await sleep(1);
  }
}

const listIds = (events: readonly LoggedEvent[]) => events.map(({ id }) => id);

test('a reader that follows the cursor sees every event once, however long the transactions take', async () => {
  const stored: string[] = [];
  const lastId = newId();
  const readers = [followUntil(lastId), followUntil(lastId), followUntil(lastId)];
  const write = async (writer: number) => {
    const streamId = newId();
    for (let sequence = 1; sequence <= 60; sequence += 1) {
      await ctx.db.transaction(async (trx) => {
        stored.push(await storeEvent(trx, { streamId, sequence }));
        // Transactions that began earlier often commit later than others.
        if ((sequence + writer) % 7 === 0) await sleep(15);
        if (sequence % 10 === 0) await insertTestEvent(trx, newId());
      });
    }
  };
  await Promise.all([1, 2, 3, 4, 5].map(write));
  stored.push(await storeEvent(ctx.db, { id: lastId }));
  for (const seen of await Promise.all(readers)) {
    expect(listIds(seen).sort()).toEqual([...stored].sort());
    for (const stream of new Set(seen.map(({ streamId }) => streamId))) {
      const sequences = seen.filter(({ streamId }) => streamId === stream).map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    }
  }
});

test('the log stops at the first transaction that is still running', async () => {
  const open = await ctx.db.transaction();
  const early = await storeEvent(open);
  const late = await storeEvent(ctx.db);
  expect((await readEventLog(ctx.db, workspace, QUERY)).events).toEqual([]);
  await open.commit();
  expect(listIds((await readEventLog(ctx.db, workspace, QUERY)).events)).toEqual([early, late]);
});

test('a long transaction in another database of the cluster delays nothing', async () => {
  const url = new URL(ctx.config.databaseUrl);
  url.pathname = '/postgres';
  const other = connectDatabase(url.href, { poolSize: 1 });
  const open = await other.transaction();
  try {
    await open.raw('select pg_current_xact_id()');
    const id = await storeEvent(ctx.db);
    await until(async () => (await readEventLog(ctx.db, workspace, QUERY)).events.length > 0);
    expect(listIds((await readEventLog(ctx.db, workspace, QUERY)).events)).toEqual([id]);
  } finally {
    await open.rollback();
    await other.destroy();
  }
});

test('a filter skips at most 2,000 events per page, and the cursor moves on', async () => {
  await ctx.db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, created_at)
     select gen_random_uuid(), gen_random_uuid(), 1, ?, 'email.sent', now() from generate_series(1, 4500)`,
    [workspace.id],
  );
  const id = await storeEvent(ctx.db, { type: 'email.bounced' });
  const bounces = { ...QUERY, type: 'email.bounced' as const };
  const first = await readEventLog(ctx.db, workspace, bounces);
  expect([first.events, first.hasMore]).toEqual([[], true]);
  const second = await readEventLog(ctx.db, workspace, { ...bounces, after: first.next });
  expect([second.events, second.hasMore]).toEqual([[], true]);
  const third = await readEventLog(ctx.db, workspace, { ...bounces, after: second.next });
  expect([listIds(third.events), third.hasMore]).toEqual([[id], false]);
  const fourth = await readEventLog(ctx.db, workspace, { ...bounces, after: third.next });
  expect(fourth).toEqual({ events: [], next: third.next, hasMore: false });
});
