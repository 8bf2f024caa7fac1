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

/** How many emails of another shape a filter finds one of. */
export const OF_STORED = { team: 20, bounced: 100, template: 100, rareTag: 1_000 } as const;

export const STORED_SINCE = new Date('2026-01-01T00:00:00Z');

/** The id that `fillStored` gives to its n-th email. */
export function storedId(n: number): string {
  const ms = (STORED_SINCE.getTime() + n * 1_000).toString(16).padStart(12, '0');
  const rest = n.toString(16).padStart(15, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8${rest.slice(0, 3)}-${rest.slice(3)}`;
}

/**
 * Emails that were sent long ago, in the rows that delivering leaves, but with a short text: bodies are
 * never read by what is measured here. Foreign keys are not checked while it lasts.
 * @param from number of the first of them; one came each second
 */
export async function fillStored(
  db: Db,
  { workspaceId, from, templateId }: Pick<Filling, 'workspaceId' | 'from'> & { templateId: string },
  range: { first: number; last: number },
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica; set local synchronous_commit = off');
    await trx.raw(STORED, { ...range, since: STORED_SINCE, ...OF_STORED, workspaceId, from, templateId });
  });
}

/** The id tells the time as a UUIDv7 does: its first 48 bits are milliseconds. */
const STORED = `
  with entry as materialized (
    select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
        || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid as id,
      case when n % :team::int = 0 then 'team@example.com' else 'jane' || n || '@example.com' end as address,
      case when n % :bounced::int = 0 then 'bounced' else 'sent' end as status,
      array['campaign:' || n % 10, 'cohort:' || n % :rareTag::int] as tags
    from generate_series(:first::int, :last::int) as n,
      lateral (select :since::timestamptz + n * interval '1 second' as at) as clock
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, attempt,
      template_id, template_version, tags
    )
    select id, :workspaceId, status, :from, :from, 'Your order has been shipped', array[address], 1, at, at::date, 1,
      case when n % :template::int = 0 then :templateId::uuid end, case when n % :template::int = 0 then 1 end,
      tags
    from entry
  ),
  new_tags as (
    insert into email_tags (workspace_id, tag, email_id) select :workspaceId, tag, id from entry, unnest(tags) as tag
  ),
  new_contents as (
    insert into email_contents (email_id, workspace_id, text) select id, :workspaceId, 'All is well.' from entry
  ),
  new_recipients as (
    insert into email_recipients (
      email_id, workspace_id, position, kind, address, status, smtp_code, smtp_response, updated_at
    )
    select id, :workspaceId, 0, 'to', address, status, 250, '250 2.0.0 Ok: queued', at from entry
  ),
  new_attempts as (
    insert into delivery_attempts (
      email_id, workspace_id, attempt, route, phase, outcome, conversation, started_at, ended_at
    )
    select id, :workspaceId, 1, '127.0.0.1:25', 'reply', status, array['C: MAIL FROM:<' || :from || '>', 'S: 250 Ok',
      'C: RCPT TO:<' || address || '>', 'S: 250 Ok', 'C: DATA', 'S: 354 Go on', 'S: 250 2.0.0 Ok: queued'], at, at
    from entry
  )
  insert into email_events (id, email_id, workspace_id, type, recipient, detail, created_at)
  select id, id, :workspaceId, status, address, '250 2.0.0 Ok: queued', at from entry`;

const TABLES = ['emails', 'email_contents', 'email_recipients', 'email_tags', 'delivery_attempts', 'email_events'];

/** Disk that an email takes, all tables and indexes together. */
export async function bytesPerEmail(db: Db): Promise<number> {
  const { rows } = await db.raw(`
    select sum(pg_total_relation_size(name::regclass)) / greatest(1, (select count(*) from emails)) as bytes
    from unnest(array[${TABLES.map((name) => `'${name}'`)}]) as name`);
  return Number(rows[0].bytes);
}

/** What autovacuum does within minutes of such a load. */
export async function settleTables(db: Db): Promise<void> {
  for (const name of [...TABLES, 'usage']) await db.raw(`vacuum analyze ${name}`);
}

export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await db.raw(
    "select count(*) as waiting from emails where status in ('queued', 'sending', 'deferred')",
  );
  return Number(rows[0].waiting);
}

/** Emails a second in each of the whole seconds after `since` but for the last, which was cut off. */
export async function ratesBySecond({ db }: Pick<Context, 'db'>, since: Date): Promise<number[]> {
  const { rows } = await db.raw(
    `select count(*) as sent from delivery_attempts
     where ended_at > ? group by date_trunc('second', ended_at) order by date_trunc('second', ended_at)`,
    [since],
  );
  return rows.slice(1, -1).map((row: { sent: number }) => Number(row.sent));
}

/** Milliseconds from acceptance to the recorded outcome; null while it has none. */
export async function deliveryMs({ db }: Pick<Context, 'db'>, id: string): Promise<number | null> {
  const { rows } = await db.raw(
    `select extract(epoch from ended_at - created_at) * 1000 as ms from delivery_attempts
     join emails on emails.id = delivery_attempts.email_id where emails.id = ? and ended_at is not null`,
    [id],
  );
  return rows.length > 0 ? Number(rows[0].ms) : null;
}
