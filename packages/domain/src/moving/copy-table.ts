import type { Knex } from 'knex';
import type { Db } from '../database/connect.js';
import type { MovedTable } from './moved-tables.js';

/** How many rows are compared and copied at once. */
const BATCH_ROWS = 500;
/**
 * A batch ends before it has more text and bytes than this, but always has a row. It is one JSON array, which must stay
 * below the 256 MB of Postgres, and its checksum must be ready within the time limit on statements.
 */
const BATCH_BYTES = 16_000_000;

export type Databases = { readonly source: Db; readonly target: Db };

/** What one pass over a table did. `rows` counts the rows of the source. */
export type Copied = { readonly rows: number; readonly changed: number };

/** A stretch of the key: rows after `after`, up to and including `to`. Null means no bound. */
type Range = { readonly after: string | null; readonly to: string | null };

/**
 * Makes the rows of the workspaces in the target equal to those of the source. It compares checksums of batches and
 * copies only the batches that differ, so it can be repeated after any interruption, and a second pass is short.
 */
export async function copyTable(
  { source, target }: Databases,
  table: MovedTable,
  ids: readonly string[],
): Promise<Copied> {
  let [rows, changed] = [0, 0];
  for (let after: string | null = null; ; ) {
    const range: Range = { after, to: await findEnd(source, table, ids, after) };
    const [ours, theirs] = await Promise.all([sumOf(source, table, ids, range), sumOf(target, table, ids, range)]);
    rows += ours.count;
    if (theirs.sum !== ours.sum) changed += await copyRange({ source, target }, table, ids, range);
    if (range.to === null) return { rows, changed };
    after = range.to;
  }
}

/** @returns the key of the last row of a batch, as JSON; null if no rows follow, or the table has no key */
async function findEnd(
  db: Db,
  table: MovedTable,
  ids: readonly string[],
  after: string | null,
): Promise<string | null> {
  if (table.key.length === 0) return null;
  const key = table.key.map(name).join(', ');
  const fields = table.key.map((column) => `'${column}', ${name(column)}`).join(', ');
  const found = await select<{ last: string } | undefined>(
    db,
    `select jsonb_build_object(${fields})::text as last from (
       select *, row_number() over (order by ${key}) as n, sum(bytes) over (order by ${key}) as total from (
         select ${keyOf(table)}, ${table.bytes} as bytes from ${table.name} t
         where ${table.owned} and ${between(table, { after, to: null })} order by ${keyOf(table)} limit ${BATCH_ROWS}
       ) as following
     ) as sized where n = 1 or total <= ${BATCH_BYTES} order by n desc limit 1`,
    { ids, after },
  );
  return found?.last ?? null;
}

type Sum = { readonly count: number; readonly sum: string | null };

/** Rows that both databases share count as equal if the target has them at all. */
async function sumOf(db: Db, table: MovedTable, ids: readonly string[], range: Range): Promise<Sum> {
  return select(
    db,
    `select count(*)::int as count, md5(string_agg(md5(compared), '' order by md5(compared))) as sum from (
       select (${table.compared})::text as compared from ${table.name} t
       where ${table.owned} and ${between(table, range)} offset 0
     ) as batch`,
    { ids, ...range },
  );
}

/** @returns how many rows were written or deleted */
async function copyRange(
  { source, target }: Databases,
  table: MovedTable,
  ids: readonly string[],
  range: Range,
): Promise<number> {
  const { rows } = await select<{ rows: string }>(
    source,
    `select coalesce(jsonb_agg(${table.written}), '[]')::text as rows from ${table.name} t
     where ${table.owned} and ${between(table, range)}`,
    { ids, ...range },
  );
  return target.transaction(async (trx) => {
    await trx.raw("set local timezone = 'UTC'");
    const deleted = table.isShared ? 0 : await deleteOthers(trx, table, { ids, range, rows });
    const written = await trx.raw(`${insertSql(table)}`, { rows });
    return deleted + (written.rowCount ?? 0);
  });
}

/** Deletes what the source no longer has, such as a suppression that was removed since the first pass. */
async function deleteOthers(
  trx: Knex.Transaction,
  table: MovedTable,
  { ids, range, rows }: { ids: readonly string[]; range: Range; rows: string },
): Promise<number> {
  if (table.isReplaced) {
    const where = `${table.owned} and ${between(table, range)}`;
    await trx.raw(`delete from ${table.name} t where ${where}`, { ids: [...ids], ...range });
    return 0;
  }
  const deleted = await trx.raw(
    `delete from ${table.name} t where ${table.owned} and ${between(table, range)} and not exists (
       select from jsonb_populate_recordset(null::${table.name}, :rows::jsonb) as kept
       where ${table.key.map((column) => `kept.${name(column)} = t.${name(column)}`).join(' and ')}
     )`,
    { ids: [...ids], ...range, rows },
  );
  return deleted.rowCount ?? 0;
}

function insertSql({ name: table, columns, key, isShared }: MovedTable): string {
  const list = columns.map(name).join(', ');
  const changes = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${name(column)} = excluded.${name(column)}`);
  const target = key.map(name).join(', ');
  const update = `on conflict (${target}) do ${isShared || changes.length === 0 ? 'nothing' : `update set ${changes.join(', ')}`}`;
  return `insert into ${table} (${list}) select ${list} from jsonb_populate_recordset(null::${table}, :rows::jsonb)
    ${key.length === 0 ? '' : update}`;
}

function between(table: MovedTable, { after, to }: Range): string {
  const columns = table.key.map((column) => `edge.${name(column)}`).join(', ');
  const bound = (sign: string, value: string) =>
    `(${keyOf(table)}) ${sign} (select ${columns} from jsonb_populate_record(null::${table.name}, ${value}::jsonb) as edge)`;
  return [after === null ? 'true' : bound('>', ':after'), to === null ? 'true' : bound('<=', ':to')].join(' and ');
}

function keyOf({ key }: MovedTable): string {
  return key.map((column) => `t.${name(column)}`).join(', ');
}

function name(column: string): string {
  return `"${column}"`;
}

type Bindings = { readonly ids: readonly string[]; readonly after?: string | null; readonly to?: string | null };

/** Times are compared as text, so both servers must write them in the same zone. */
async function select<Row>(db: Db, sql: string, { ids, after, to }: Bindings): Promise<Row> {
  const bindings = { ids: [...ids], ...(after != null && { after }), ...(to != null && { to }) };
  return db.transaction(async (trx) => {
    await trx.raw("set local timezone = 'UTC'");
    const { rows } = await trx.raw(sql, bindings);
    return rows[0];
  });
}
