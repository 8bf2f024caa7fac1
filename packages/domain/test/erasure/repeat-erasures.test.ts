import { JournalError, readErasureJournal, repeatErasures } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { dumpPostgres } from '@posthorn/testing';
import { type Erasing, openErasing } from './open-erasing.js';

let t: Erasing;

beforeEach(async () => {
  t = await openErasing();
});

afterEach(() => t.close());

/** Tables and partitioned tables, but no partitions. */
async function listTables({ db }: Context): Promise<string[]> {
  const { rows } = await db.raw(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition",
  );
  return rows.map(({ name }: { name: string }) => name);
}

/** The columns of a table, without generated ones: Postgres refuses values for those. */
async function listColumns({ db }: Context, table: string): Promise<string> {
  const { rows } = await db.raw(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = format('public.%I', ?::text)::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0].columns;
}

/** Copies all rows, as a dump does. @returns a function that brings them back and deletes everything newer */
async function backUp(ctx: Context): Promise<() => Promise<void>> {
  const tables = await listTables(ctx);
  await ctx.db.raw('create schema backup');
  for (const table of tables) await ctx.db.raw('create table backup.?? as select * from public.??', [table, table]);
  return () =>
    ctx.db.transaction(async (trx) => {
      await trx.raw("set local session_replication_role = 'replica'");
      for (const table of tables) {
        await trx.raw('delete from public.??', [table]);
        const columns = await listColumns(ctx, table);
        await trx.raw(`insert into public.?? (${columns}) select ${columns} from backup.??`, [table, table]);
      }
      await trx.raw('drop schema backup cascade');
    });
}

const traces = async () => (await dumpPostgres(t.ctx)).filter((line) => line.toLowerCase().includes('jane'));

async function journal(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readErasureJournal(t.ctx)) lines.push(line);
  return lines;
}

test('after a restore, the journal erases again what the restore brought back', async () => {
  const ids = [await t.accept(), await t.accept({ to: ['ann@example.com'], replyTo: ['jane@example.com'] })];
  for (const id of ids) await t.finish(id);
  await t.accept({ scheduledAt: new Date(Date.now() + 3_600_000) });
  const restore = await backUp(t.ctx);
  const erasure = await t.work(await t.request());
  expect(erasure).toMatchObject({ status: 'finished', erasedEmails: 3 });
  expect(await traces()).toEqual([]);
  const lines = await journal();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe('{"object":"erasure_export_end","erasures":1}');
  expect(lines.join().toLowerCase()).not.toContain('jane');

  await restore();
  expect((await traces()).length).toBeGreaterThan(3);
  expect(await t.ctx.db('erasures')).toEqual([]);
  expect(await repeatErasures(t.ctx, lines)).toEqual({ repeated: 1, withoutWorkspace: 0 });
  expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 3 });
  expect(await traces()).toEqual([]);
  expect(await journal()).toEqual(lines);
});

test('erasures that the database knows can be repeated without a file', async () => {
  await t.finish(await t.accept());
  const erasure = await t.work(await t.request());
  expect(await repeatErasures(t.ctx, null)).toEqual({ repeated: 1, withoutWorkspace: 0 });
  expect(await t.work(erasure)).toMatchObject({ status: 'finished', erasedEmails: 1 });
});

test('an entry of a workspace that does not exist is counted and left out', async () => {
  await t.request();
  const [line = '', end = ''] = await journal();
  const lines = [line.replace(t.workspaceId, newId()), end, '', line, end];
  expect(await repeatErasures(t.ctx, lines)).toEqual({ repeated: 1, withoutWorkspace: 1 });
});

test.each([
  ['{"object":"erasure"}', 'Line 2 is not an erasure'],
  ['erasure', 'Line 2 is not an erasure'],
  ['[]', 'Line 2 is not an erasure'],
])('a file with the line %s is refused as a whole', async (line, message) => {
  await t.request();
  const [first = ''] = await journal();
  const repeat = repeatErasures(t.ctx, [first, line]);
  await expect(repeat).rejects.toThrow(JournalError);
  await expect(repeat).rejects.toThrow(message);
});

const INCOMPLETE = 'does not end with an "erasure_export_end" line, so it is not complete';

test.each([
  ['is empty', () => [], INCOMPLETE],
  ['has blank lines only', () => ['', ''], INCOMPLETE],
  ['has lost its end line', (lines: string[]) => lines.slice(0, -1), INCOMPLETE],
  ['has lost the end line of its second journal', (lines: string[]) => [...lines, ...lines.slice(0, -1)], INCOMPLETE],
  ['has lost an erasure', (lines: string[]) => lines.slice(1), 'Line 2 says that its journal has 2 erasures'],
  [
    'has lost an erasure of its second journal',
    (lines: string[]) => [...lines, ...lines.slice(1)],
    'Line 5 says that its journal has 2 erasures, but the file has 1 of them',
  ],
])('a file that %s is refused as a whole', async (_, damage, message) => {
  await t.work(await t.request());
  await t.work(await t.request('ann@example.com'));
  await expect(repeatErasures(t.ctx, damage(await journal()))).rejects.toThrow(message);
  expect(await t.ctx.db('erasures').whereNot({ step: 'done' })).toEqual([]);
});

test('a journal without erasures is complete too', async () => {
  expect(await repeatErasures(t.ctx, await journal())).toEqual({ repeated: 0, withoutWorkspace: 0 });
});

test('a journal that another SECRET_KEY encrypted is refused, and so is a changed one', async () => {
  await t.request();
  const [line = '', end = ''] = await journal();
  const other = { ...t.ctx, config: { ...t.ctx.config, secretKey: 'another secret that is only good for tests' } };
  const { id, address, secret_key_id } = JSON.parse(line);
  const otherKey = new RegExp(`^Line 1 was encrypted with the SECRET_KEY with the id ${secret_key_id}`);
  await expect(repeatErasures(other, [line, end])).rejects.toThrow(otherKey);
  await expect(repeatErasures(other, null)).rejects.toThrow(`The erasure ${id} in the database was encrypted`);
  for (const damaged of [line.replace(id, newId()), line.replace(address, ''), line.replace(address, 'AAAA')])
    await expect(repeatErasures(t.ctx, ['', damaged, end])).rejects.toThrow(
      /^Line 2 cannot be decrypted.* It is damaged/,
    );
});
