import type { Knex } from 'knex';
import { cellTables, directoryTables, parentTables } from '../database/table-ownership.js';
import { MOVED_AWAY } from '../deliveries/needs.js';

/** A table whose rows move with a workspace. */
export type MovedTable = {
  readonly name: string;
  /** Columns that are written; the others are generated. */
  readonly columns: readonly string[];
  /** The primary key. Empty if there is none; the table is then compared as a whole. */
  readonly key: readonly string[];
  /** SQL: which rows `t` belong to the workspaces `:ids`. */
  readonly owned: string;
  /** SQL: the bytes of the texts and files of a row `t`, which Postgres knows without reading them. */
  readonly bytes: string;
  /** SQL: a row `t` as JSON, without what may differ between the databases. */
  readonly compared: string;
  /** SQL: a row `t` as JSON, as it is written to the other database, where nothing may act on it yet. */
  readonly written: string;
  /** Whether rows that exist are left as they are, because they are not only about this workspace. */
  readonly isShared: boolean;
  /** Whether rows are deleted and inserted again, because a trigger refuses to count their attempts up. */
  readonly isReplaced: boolean;
};

/** Sessions and mailed links stay: their users log in again, and request another link. */
const STAYING = ['sessions', 'mailed_links'];

const OWNED_DIRECTORY: Readonly<Record<string, string>> = {
  workspaces: 't.id = any(:ids)',
  users: 't.id in (select user_id from memberships where workspace_id = any(:ids))',
};

/** Rows that a worker would act on. They are written so that no worker does before the move is complete. */
const WRITTEN_INACTIVE: Readonly<Record<string, { readonly compared: string; readonly written: string }>> = {
  workspaces: withChange(`jsonb_build_object('move_state', 'arriving', 'moved_to', null)`),
  deliveries: {
    // Workers of both databases mark emails as due when their time comes.
    compared: `(to_jsonb(t) - 'is_due' - 'send_before')
      || jsonb_build_object('needs', needs & ~${MOVED_AWAY}, 'is_parked', is_due is null)`,
    written: `to_jsonb(t) || jsonb_build_object('needs', needs | ${MOVED_AWAY})`,
  },
  sending_domains: withChange(`jsonb_build_object('next_check_at', null)`),
  webhook_states: withChange(`jsonb_build_object('lease', 0, 'lease_until', '9999-01-01T00:00:00Z'::timestamptz)`),
  erasures: withChange(`jsonb_build_object('due_at', null)`),
  blobs: withChange(`jsonb_build_object('kept_until', '9999-01-01T00:00:00Z'::timestamptz)`),
};

function withChange(change: string) {
  return { compared: `to_jsonb(t) || ${change}`, written: `to_jsonb(t) || ${change}` };
}

type TableRow = {
  name: string;
  columns: string[];
  key: string[];
  /** Those that may be long. */
  long_columns: string[];
  /** Tables that this one refers to. */
  refers_to: string[];
};

const TABLES = `
  select relname as name, array(
      select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
    ) as columns, array(
      select attname::text from pg_index join pg_attribute on attrelid = c.oid and attnum = any(indkey::int[])
      where indrelid = c.oid and indisprimary order by array_position(indkey::int[], attnum::int)
    ) as key, array(
      select attname::text from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and atttypid in ('text'::regtype, 'bytea'::regtype)
    ) as long_columns, array(
      select distinct confrelid::regclass::text from pg_constraint
      where conrelid = c.oid and contype = 'f' and confrelid <> conrelid
    ) as refers_to
  from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  order by relname`;

/** The tables in an order in which their foreign keys hold, as the schema says. */
export async function readMovedTables(db: Knex): Promise<MovedTable[]> {
  const { rows } = await db.raw(TABLES);
  const stays = new Set<string>([...cellTables, ...STAYING]);
  return inOrder((rows as TableRow[]).filter(({ name }) => !stays.has(name))).map(toMovedTable);
}

function toMovedTable({ name, columns, key, long_columns: long }: TableRow): MovedTable {
  const inactive = WRITTEN_INACTIVE[name] ?? { compared: 'to_jsonb(t)', written: 'to_jsonb(t)' };
  return {
    name,
    columns,
    key,
    owned: ownedSql(name),
    bytes: ['0', ...long.map((column) => `coalesce(octet_length(t."${column}"), 0)`)].join(' + '),
    ...inactive,
    isShared: name === 'users',
    isReplaced: name === 'deliveries' || key.length === 0,
  };
}

function ownedSql(name: string): string {
  const isDirectory = (directoryTables as readonly string[]).includes(name);
  const special = isDirectory ? OWNED_DIRECTORY[name] : undefined;
  if (special) return special;
  const parent = parentTables[name];
  if (parent) return `t.${parent.column} in (select id from ${parent.table} where workspace_id = any(:ids))`;
  return 't.workspace_id = any(:ids)';
}

function inOrder(tables: readonly TableRow[]): TableRow[] {
  const left = [...tables];
  const sorted: TableRow[] = [];
  const names = new Set(tables.map(({ name }) => name));
  while (left.length > 0) {
    const isFree = ({ refers_to: others }: TableRow) =>
      others.every((other) => !names.has(other) || sorted.some(({ name }) => name === other));
    const next = left.findIndex(isFree);
    if (next === -1) throw new Error(`Foreign keys form a circle: ${left.map(({ name }) => name).join(', ')}`);
    sorted.push(...left.splice(next, 1));
  }
  return sorted;
}
