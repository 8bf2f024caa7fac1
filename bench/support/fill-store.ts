import { type Context, connectDatabase, type Db } from '@posthorn/domain';

/** What each of the emails is like. */
export type Filling = {
  readonly workspaceId: string;
  readonly from: string;
  readonly html: string;
  readonly text: string;
};

/** A connection for statements that take as long as they take. */
export async function connectPatiently(databaseUrl: string): Promise<Db> {
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0 });
  await db.raw('set statement_timeout = 0; set lock_timeout = 0');
  return db;
}

/**
 * Emails that wait to be sent, in the rows that accepting leaves, in one transaction.
 * @param beforeCommit called when only the COMMIT is missing: no worker sees them yet
 * @returns their ids
 */
export async function fillWaiting(
  db: Db,
  { workspaceId, from, html, text }: Filling,
  count: number,
  beforeCommit: () => void = () => {},
): Promise<string[]> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw(WAITING, { count, workspaceId, from, html, text });
    beforeCommit();
    return rows.map((row: { id: string }) => row.id);
  });
}

const WAITING = `
  with entry as materialized (
    select uuidv7() as id, 'jane' || n || '@example.com' as address from generate_series(1, :count::int) as n
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, due_at
    )
    select id, :workspaceId, 'queued', :from, :from, 'Your order has been shipped', array[address], 1, now(),
      current_date, now()
    from entry
  ),
  new_contents as (
    insert into email_contents (email_id, workspace_id, html, text) select id, :workspaceId, :html, :text from entry
  ),
  new_recipients as (
    insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
    select id, :workspaceId, 0, 'to', address, 'queued', now() from entry
  )
  select id from entry`;

/** The attempts that began after `since`: emails a second from the first claim to the last outcome. */
export async function deliveryRate({ db }: Pick<Context, 'db'>, since: Date): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) / extract(epoch from max(ended_at) - min(started_at)) as rate,
       count(*) filter (where outcome is distinct from 'sent') as others
     from delivery_attempts where started_at >= ?`,
    [since],
  );
  if (Number(rows[0].others) > 0) throw new Error(`${rows[0].others} emails were not sent at once`);
  return Number(rows[0].rate);
}

export async function databaseNow({ db }: Pick<Context, 'db'>): Promise<Date> {
  const { rows } = await db.raw('select clock_timestamp() as now');
  return rows[0].now;
}

/**
 * Whether all mail has reached its end. Asked in the order of an index each: Postgres would read the table
 * otherwise, which costs it as much as the drain that is measured.
 */
export async function isDrained({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const { rows } = await db.raw(`
    (select id from emails where status in ('queued', 'scheduled', 'deferred') order by workspace_id, due_at limit 1)
    union all (select id from emails where status = 'sending' order by lease_until limit 1)`);
  return rows.length === 0;
}

const TABLES = ['emails', 'email_contents', 'email_recipients', 'email_tags', 'delivery_attempts', 'email_events'];

/** Disk that an email takes, all tables and indexes together. */
export async function bytesPerEmail(db: Db): Promise<number> {
  const { rows } = await db.raw(`
    select sum(pg_total_relation_size(name::regclass)) / greatest(1, (select count(*) from emails)) as bytes
    from unnest(array[${TABLES.map((name) => `'${name}'`)}]) as name`);
  return Number(rows[0].bytes);
}

/** What autovacuum and the checkpointer do within minutes of such a load. */
export async function settleTables(db: Db): Promise<void> {
  await vacuumTables(db);
  await db.raw('checkpoint');
}

export async function vacuumTables(db: Db): Promise<void> {
  for (const name of [...TABLES, 'usage']) await db.raw(`vacuum analyze ${name}`);
}
