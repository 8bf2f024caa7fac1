import { maintainPartitions } from '@posthorn/domain/retention';
import type { Context } from '@posthorn/platform';
import { ADVISORY_LOCKS } from '@posthorn/platform/postgres';
import { getIdTime, newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { listPartitions, type Partition } from '../../src/retention/partition-store.js';
import { daysAhead, idAt, idsIn, idsInEach, inAllTables, storeEmail, TABLES } from './store-email.js';

let ctx: Context;
let workspaceId: string;
let logged: Array<{ event: string; table?: string }>;

beforeEach(async () => {
  logged = [];
  const record = (fields: object, event: string) => void logged.push({ ...fields, event });
  ctx = await openTestContext({
    ownDatabase: 'it adds and drops partitions, which all workspaces use',
    log: { debug: record, info: record, warn: record, error: record },
  });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

/** @throws if some id belongs to no partition or to two partitions */
function assertContiguous(partitions: readonly Partition[]): void {
  expect(partitions[0]?.from).toBeNull();
  expect(partitions.at(-1)?.to).toBeNull();
  expect(partitions.slice(1).map(({ from }) => from)).toEqual(partitions.slice(0, -1).map(({ to }) => to));
}

async function untilStable(now: Date): Promise<void> {
  await maintainPartitions(ctx, now);
  logged = [];
  await maintainPartitions(ctx, now);
  expect(logged).toEqual([]);
}

describe('adding partitions', () => {
  test('happens a week ahead, and not again until more are needed', async () => {
    await untilStable(new Date());
    for (const table of TABLES) {
      const partitions = await listPartitions(ctx.db, table);
      assertContiguous(partitions);
      expect(getIdTime(partitions.at(-1)?.from as string)).toBeGreaterThan(daysAhead(7).getTime());
      expect(partitions.length).toBeLessThan(8);
    }
  });

  test('waits for a migration, which builds indexes partition by partition', async () => {
    const before = await listPartitions(ctx.db, 'emails');
    await ctx.db.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCKS.migrations]);
      await maintainPartitions(ctx, daysAhead(150));
    });
    expect(await listPartitions(ctx.db, 'emails')).toEqual(before);
    await maintainPartitions(ctx, daysAhead(150));
    expect(await listPartitions(ctx.db, 'emails')).not.toEqual(before);
  });

  test('loses nothing and blocks no insert if workers were stopped for months', async () => {
    const ids = [];
    for (const days of [0, 10, 60, 61, 150]) ids.push(await storeEmail(ctx, workspaceId, idAt(daysAhead(days))));
    await untilStable(daysAhead(150));
    // Content is kept for 30 days, and everything else for 400.
    expect(await idsInEach(ctx)).toEqual({ ...inAllTables(ids), email_contents: ids.slice(-1) });
    for (const table of TABLES) assertContiguous(await listPartitions(ctx.db, table));
    await storeEmail(ctx, workspaceId, idAt(daysAhead(151)));
  });

  test('gives the last partition an upper bound if it has too many rows to move', async () => {
    const rows = 10_001;
    await ctx.db.raw(
      `insert into events (id, stream_id, sequence, workspace_id, type, created_at)
       select gen_random_uuid(), (left(:id, 24) || lpad(to_hex(n), 12, '0'))::uuid, 1, :workspaceId, 'email.sent', now()
       from generate_series(1, :rows::int) as n`,
      { id: idAt(daysAhead(200)), workspaceId, rows },
    );
    const before = await listPartitions(ctx.db, 'events');
    await untilStable(daysAhead(201));
    const partitions = await listPartitions(ctx.db, 'events');
    assertContiguous(partitions);
    const [full] = partitions.filter(({ name }) => name === before.at(-1)?.name);
    expect(await ctx.db(full?.name as string)).toHaveLength(rows);
    expect(getIdTime(full?.to as string)).toBeGreaterThan(daysAhead(201).getTime());
    await storeEmail(ctx, workspaceId, idAt(daysAhead(600)));
  });

  test('continues even if an API process with a clock a year ahead or behind has stored emails', async () => {
    const ids = [
      await storeEmail(ctx, workspaceId, idAt(daysAhead(365))),
      await storeEmail(ctx, workspaceId, idAt(daysAhead(-365)), { waits: true }),
    ];
    await untilStable(new Date());
    await untilStable(daysAhead(20));
    for (const table of TABLES) assertContiguous(await listPartitions(ctx.db, table));
    expect(await idsInEach(ctx)).toEqual(inAllTables(ids));
    const [last] = (await listPartitions(ctx.db, 'emails')).slice(-1);
    expect(getIdTime(last?.from as string)).toBeLessThan(daysAhead(120).getTime());
  });

  test('copies the storage settings of the previous partition', async () => {
    await maintainPartitions(ctx, new Date());
    const { rows } = await ctx.db.raw(
      `select distinct reloptions from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = 'email_recipients'::regclass`,
    );
    const settings = rows.map((row: { reloptions: string[] }) => [...row.reloptions].sort());
    expect(new Set(settings.map(String)).size).toBe(1);
    expect(settings[0]).toContain('fillfactor=50');
  });
});

test('deleting an email or a workspace deletes its rows in every partition, and no others', async () => {
  const [old, recent, future] = [-40, 0, 40].map((days) => idAt(daysAhead(days))) as [string, string, string];
  for (const id of [old, recent, future]) await storeEmail(ctx, workspaceId, id, { waits: true });
  const other = await storeEmail(ctx, newId(), idAt(daysAhead(41)));
  await ctx.db('emails').where({ workspace_id: workspaceId, id: old }).delete();
  expect(await idsInEach(ctx)).toEqual(inAllTables([recent, future, other]));
  expect(await idsIn(ctx, 'deliveries')).toEqual([recent, future]);
  await ctx.db('workspaces').where({ id: workspaceId }).delete();
  expect(await idsInEach(ctx)).toEqual(inAllTables([other]));
  expect(await idsIn(ctx, 'deliveries')).toEqual([]);
});

describe('dropping partitions', () => {
  test('removes content after CONTENT_RETENTION_DAYS and emails after EMAIL_RETENTION_DAYS', async () => {
    const id = await storeEmail(ctx, workspaceId);
    await maintainPartitions(ctx, daysAhead(29));
    expect(await idsInEach(ctx)).toEqual(inAllTables([id]));
    await untilStable(daysAhead(40));
    expect(await idsInEach(ctx)).toEqual({ ...inAllTables([id]), email_contents: [] });
    await maintainPartitions(ctx, daysAhead(399));
    expect(await idsIn(ctx, 'emails')).toEqual([id]);
    await untilStable(daysAhead(460));
    expect(await idsInEach(ctx)).toEqual(inAllTables([]));
    for (const table of TABLES) assertContiguous(await listPartitions(ctx.db, table));
  });

  test('frees the disk space', async () => {
    await ctx.db.raw(
      `insert into email_contents (email_id, workspace_id, text)
       select (left(:id, 24) || lpad(to_hex(n), 12, '0'))::uuid, :workspaceId, repeat(md5(n::text), 50)
       from generate_series(1, 2000) as n`,
      { id: idAt(new Date()), workspaceId },
    );
    const bytes = async () => {
      const { rows } = await ctx.db.raw(
        "select sum(pg_total_relation_size(relid))::bigint as bytes from pg_partition_tree('email_contents')",
      );
      return rows[0].bytes;
    };
    expect(await bytes()).toBeGreaterThan(1_000_000);
    await maintainPartitions(ctx, daysAhead(60));
    expect(await bytes()).toBeLessThan(500_000);
  });

  test('waits for unfinished emails', async () => {
    const id = await storeEmail(ctx, workspaceId, newId(), { waits: true });
    await maintainPartitions(ctx, daysAhead(500));
    expect(await idsInEach(ctx)).toEqual(inAllTables([id]));
    await ctx.db('deliveries').delete();
    await maintainPartitions(ctx, daysAhead(500));
    expect(await idsInEach(ctx)).toEqual(inAllTables([]));
  });

  test('never drops an email before its rows in other tables', async () => {
    const id = await storeEmail(ctx, workspaceId);
    await maintainPartitions({ ...ctx, config: { ...ctx.config, contentRetentionDays: 400 } }, daysAhead(1));
    await ctx.db.transaction(async (trx) => {
      await trx.raw('select from events limit 1');
      await maintainPartitions(ctx, daysAhead(500));
    });
    expect(await idsIn(ctx, 'events')).toEqual([id]);
    expect(await idsIn(ctx, 'emails')).toEqual([id]);
    expect(logged).toContainEqual(expect.objectContaining({ event: 'partitions_not_changed', table: 'events' }));
    await maintainPartitions(ctx, daysAhead(500));
    expect(await idsInEach(ctx)).toEqual(inAllTables([]));
  });

  test('does not lock a table that a dump is reading', async () => {
    const id = await storeEmail(ctx, workspaceId);
    await ctx.db.transaction(async (dump) => {
      await dump.raw('select from email_contents limit 1');
      await dump.raw('select pg_sleep(1.1)');
      await maintainPartitions(ctx, daysAhead(60));
    });
    expect(await idsIn(ctx, 'email_contents')).toEqual([id]);
    const message = 'A transaction has been using the table email_contents for over a second';
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'partitions_not_changed', error: expect.objectContaining({ message }) }),
    );
    await maintainPartitions(ctx, daysAhead(60));
    expect(await idsIn(ctx, 'email_contents')).toEqual([]);
  });

  test('is done by one worker at a time', async () => {
    await storeEmail(ctx, workspaceId);
    await Promise.all(Array.from({ length: 4 }, () => maintainPartitions(ctx, daysAhead(500))));
    await maintainPartitions(ctx, daysAhead(500));
    expect(await idsInEach(ctx)).toEqual(inAllTables([]));
    for (const table of TABLES) assertContiguous(await listPartitions(ctx.db, table));
  });
});
