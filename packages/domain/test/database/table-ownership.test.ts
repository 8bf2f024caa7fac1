import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { cellTables, directoryNames, directoryTables, parentTables } from '../../src/database/table-ownership.js';

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext();
});

afterAll(() => closeTestContext(ctx));

async function select<Row>(sql: string): Promise<Row[]> {
  return (await ctx.db.raw(sql)).rows;
}

/** The tables themselves, without the partitions of each. */
const IS_TABLE = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

const lists: ReadonlyArray<readonly string[]> = [directoryTables, cellTables, Object.keys(parentTables)];
const listed = lists.flat();

/** Live mail and test mail have two workspaces that belong together, and an erasure covers both. */
const WITHIN_LIVE_AND_TEST = ['erasure_emails_erasure_id_fkey'];

async function tablesWithWorkspace(): Promise<string[]> {
  const rows = await select<{ name: string }>(
    `select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where ${IS_TABLE} and attname = 'workspace_id'`,
  );
  return rows.map(({ name }) => name);
}

test('every table belongs to the directory, to a cell, or to one workspace', async () => {
  const all = await select<{ name: string }>(`select relname as name from pg_class where ${IS_TABLE}`);
  const names = all.map(({ name }) => name);
  const owned = new Set(await tablesWithWorkspace());
  expect(names.filter((name) => !owned.has(name) && !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  expect([...cellTables, ...Object.keys(parentTables)].filter((name) => owned.has(name))).toEqual([]);
  expect(Object.values(parentTables).filter(({ table }) => !owned.has(table))).toEqual([]);
});

type Reference = { name: string; from: string; to: string; columns: string[] };

const REFERENCES = `
  select conname as name, conrelid::regclass::text as from, confrelid::regclass::text as to, array(
    select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey) order by attname
  ) as columns
  from pg_constraint where contype = 'f' and conparentid = 0`;

test('every foreign key stays within one workspace, or within the directory', async () => {
  const references = await select<Reference>(REFERENCES);
  const isDirectory = (table: string) => (directoryTables as readonly string[]).includes(table);
  const staysWithin = ({ name, from, to, columns }: Reference) => {
    if (isDirectory(from)) return isDirectory(to);
    if (isDirectory(to)) return to === 'workspaces' && columns.join() === 'workspace_id';
    const parent = parentTables[from];
    if (parent) return parent.table === to && columns.join() === parent.column;
    return columns.includes('workspace_id') || WITHIN_LIVE_AND_TEST.includes(name);
  };
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter((reference) => !staysWithin(reference))).toEqual([]);
});

test('nothing is unique among all workspaces but ids, tokens and the names of the directory', async () => {
  const indexes = await select<{ name: string; from: string }>(
    `select indexrelid::regclass::text as name, indrelid::regclass::text as from from pg_index
     join pg_class on pg_class.oid = indrelid
     where ${IS_TABLE} and indisunique and pg_get_indexdef(indexrelid) !~ 'workspace_id' and not exists (
       select from pg_attribute where attrelid = indrelid and attnum = any(indkey::int[])
         and (attname = 'workspace_id' or atttypid in ('uuid'::regtype, 'bytea'::regtype))
     )`,
  );
  const ofWorkspaces = indexes.filter(({ from }) => !(cellTables as readonly string[]).includes(from));
  // The platform's keys have no workspace, and its index is about the domain of each key.
  const names = ofWorkspaces.map(({ name }) => name).filter((name) => name !== 'domain_keys_in_use');
  expect(names.sort()).toEqual(Object.keys(directoryNames).sort());
});
