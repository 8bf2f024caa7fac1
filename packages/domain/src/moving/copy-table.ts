import type { Knex } from 'knex';
import type { Db } from '../database/connect.js';
import type { MovedTable } from './moved-tables.js';

/** How many rows are compared and copied at once. */
const BATCH_ROWS = 500;

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
  let after: string | null = null;
  for (;;) {
    const edge = await readBatch(source, table, ids, after);
    const range: Range = { after, to: edge.count < BATCH_ROWS || table.key.length === 0 ? null : edge.last };
    rows += edge.count;
    const other = await sumOf(target, table, ids, range);
    if (other.sum !== edge.sum) changed += await copyRange({ source, target }, table, ids, range);
    if (range.to === null) return { rows, changed };
    after = range.to;
  }
}

type Batch = { readonly count: number; readonly sum: string | null; readonly last: string | null };

const SUM = `count(*)::int as count, md5(string_agg(md5(batch.compared::text), '' order by md5(batch.compared::text))) as sum`;

async function readBatch(db: Db, table: MovedTable, ids: readonly string[], after: string | null): Promise<Batch> {
  const limited = table.key.length === 0 ? '' : `order by ${keyOf(table)} limit ${BATCH_ROWS}`;
  const last = table.key.length === 0 ? 'null' : `(array_agg(batch.row order by n desc))[1]::text`;
  return select(
    db,
    `select ${SUM}, ${last} as last from (
       select ${table.compared} as compared, to_jsonb(t) as row, row_number() over (${limited && `order by ${keyOf(table)}`}) as n
       from ${table.name} t where ${table.owned} and ${between(table, { after, to: null })} ${limited}
     ) as batch`,
    { ids, after },
  );
}

/** Rows that both databases share count as equal if the target has them at all. */
async function sumOf(db: Db, table: MovedTable, ids: readonly string[], range: Range): Promise<Batch> {
  return select(
    db,
    `select ${SUM}, null as last from (
       select ${table.compared} as compared from ${table.name} t where ${table.owned} and ${between(table, range)}
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
async function select<Row = Batch>(db: Db, sql: string, { ids, after, to }: Bindings): Promise<Row> {
  const bindings = { ids: [...ids], ...(after != null && { after }), ...(to != null && { to }) };
  return db.transaction(async (trx) => {
    await trx.raw("set local timezone = 'UTC'");
    const { rows } = await trx.raw(sql, bindings);
    return rows[0];
  });
}
