import { DEFAULT_PRIORITY, priorities } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { INSERT_USAGE_EVENTS } from '@posthorn/domain/workspaces';
import { findSqlState, type Send, type Statement, sqlStates } from '@posthorn/platform/postgres';
import type { EncodedRows } from './encode-rows.js';
import type { NewEmail } from './new-email.js';

/**
 * Writes all rows of the requests and counts their recipients, in one statement. The rows are sent as one JSON string,
 * which costs a tenth as much as encoding them as array literals. Postgres' clock decides when an email is due and when
 * a key expires. `created_at` comes from our clock, because the response already contains it.
 */
export async function insertEmails(send: Send, rows: EncodedRows): Promise<void> {
  await insertRows(send, rows, { lockBy: null, lockTimeout: null });
}

/**
 * Does the same as `insertEmails` for requests that were not checked one by one. If together they would exceed a cap,
 * it fails and writes nothing. If a workspace's caps changed between two of the requests, the smaller caps apply.
 * @param lockBy the statement fails unless it has locked the usage rows by this time on Postgres' clock. After that
 *   time, a process that finds the rows unlocked and the emails missing knows that nothing will be stored
 * @param lockTimeoutMs the statement also fails if it waits this long for one of the rows
 */
export async function insertWithinCaps(
  send: Send,
  rows: EncodedRows,
  { lockBy, lockTimeoutMs }: { lockBy: Date; lockTimeoutMs: number },
): Promise<void> {
  await insertRows(send, rows, { lockBy, lockTimeout: `${lockTimeoutMs}ms` });
}

/** The name of the statement shows, in proxies and traces, that the statement may be a transaction of its own. */
async function insertRows(
  send: Send,
  { json, haveNeeds }: EncodedRows,
  { lockBy, lockTimeout }: { lockBy: Date | null; lockTimeout: string | null },
): Promise<void> {
  const values = [json, limits.idempotencyHours.max, lockBy, lockTimeout];
  await send(haveNeeds ? INSERT_WITH_NEEDS : INSERT, values);
}

const NORMAL = priorities.indexOf(DEFAULT_PRIORITY);

/** The parts of the statement that only emails with needs have. */
type PartsWithNeeds = {
  readonly columns: string;
  readonly emailColumns: string;
  readonly needs: string;
  readonly insert: string;
};

const insertSql = ({ columns, emailColumns, needs, insert }: PartsWithNeeds) => `
  with request as materialized (
    select * from json_to_recordset($1::json) as request (
      id uuid, workspace_id uuid, status text, from_ text, from_address text, domain_id uuid, subject text,
      "to" text[], cc text[], bcc text[], reply_to text[], template_id uuid, template_version int, template_vars jsonb,
      tags text[], headers jsonb, html text, "text" text, kinds text[], addresses text[], recipient_count int,
      created_at timestamptz, scheduled_at timestamptz, usage_day date, key_hash text, fingerprint text, response text,
      request_id uuid, traceparent text, monthly_limit bigint, daily_limit bigint, monthly_cap bigint, daily_cap bigint,
      priority smallint, expires_at timestamptz${columns}
    )
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      tags, recipient_count, created_at, scheduled_at, usage_day, priority, expires_at${emailColumns}
    )
    select id, workspace_id, status, from_, from_address, domain_id, subject, "to", template_id, template_version,
      coalesce(tags, '{}'), recipient_count, created_at, scheduled_at, usage_day, coalesce(priority, ${NORMAL}),
      expires_at${emailColumns}
    from request
  ),
  new_deliveries as (
    insert into deliveries (email_id, workspace_id, due_at, is_due, priority, send_before, needs, last_sequence)
    select id, workspace_id, coalesce(scheduled_at, now()), scheduled_at is null, coalesce(priority, ${NORMAL}), expires_at,
      ${needs}, case when scheduled_at is null then 1 else 2 end
    from request
  ),
  new_events as (
    insert into events (id, stream_id, sequence, workspace_id, type, data, created_at)
    select first_event_id(id), id, 1, workspace_id, 'email.accepted',
      case when scheduled_at is not null then '{"status": "scheduled"}'::jsonb end, created_at
    from request
    union all
    select second_event_id(id), id, 2, workspace_id, 'email.scheduled', null, created_at
    from request where scheduled_at is not null
  ),${insert}
  new_tags as (
    insert into email_tags (workspace_id, tag, email_id) select workspace_id, tag, id from request, unnest(tags) as tag
  ),
  new_contents as (
    insert into email_contents (
      email_id, workspace_id, html, text, template_vars, cc, bcc, reply_to, headers, request_id, traceparent
    )
    select id, workspace_id, html, "text", template_vars, coalesce(cc, '{}'), coalesce(bcc, '{}'),
      coalesce(reply_to, '{}'), coalesce(headers, '{}'), request_id, traceparent
    from request
  ),
  new_recipients as (
    insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
    select id, workspace_id, position - 1, kind, address, 'queued', created_at
    from request, unnest(kinds, addresses) with ordinality as recipient (kind, address, position)
  ),
  new_keys as (
    insert into idempotency_keys (workspace_id, key_hash, fingerprint, response, expires_at)
    select workspace_id, decode(key_hash, 'hex'), decode(fingerprint, 'hex'), response,
      now() + $2::int * interval '1 hour'
    from request where key_hash is not null order by workspace_id, key_hash
    -- A key that has not expired must not be overwritten, so its response is set to null, which fails the transaction
    on conflict (workspace_id, key_hash) do update
      set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
        response = case when idempotency_keys.expires_at <= now() then excluded.response end
  ),
  counted as (
    select workspace_id, period, sum(recipient_count) as sends, min(cap) as cap, min(coalesce(included, cap)) as included
    from request, lateral (
      values
        (to_char(usage_day, 'YYYY-MM'), monthly_cap, monthly_limit), (to_char(usage_day, 'YYYY-MM-DD'), daily_cap, daily_limit)
    ) as of_day (period, cap, included)
    where $4::text is null or (select set_config('lock_timeout', $4, true)) is not null
    group by workspace_id, period
  ),
  -- Every transaction inserts in the same order, so that no two can deadlock. If the cap would be exceeded or the row
  -- was locked too late, the value is null, which makes the transaction fail
  new_usage as (
    insert into usage (workspace_id, period, used)
    select workspace_id, period,
      case when (cap is null or sends <= cap) and ($3::timestamptz is null or clock_timestamp() < $3) then sends end
    from counted order by workspace_id, period
    on conflict (workspace_id, period) do update set used = (
      select case
        when (cap is null or usage.used + sends <= cap) and ($3 is null or clock_timestamp() < $3) then usage.used + sends
      end
      from counted where workspace_id = usage.workspace_id and period = usage.period
    )
    returning workspace_id, period, used
  )
  ${INSERT_USAGE_EVENTS}`;

const INSERT: Statement = {
  name: 'insert_and_commit',
  text: insertSql({ columns: '', emailColumns: '', needs: '0', insert: '' }),
};

const INSERT_WITH_NEEDS: Statement = {
  name: 'insert_with_needs',
  text: insertSql({
    columns: ', attachments json, needs smallint, topic text, tracking jsonb',
    emailColumns: ', topic, tracking',
    needs: 'coalesce(needs, 0)',
    insert: `
  new_attachments as (
    insert into email_attachments (email_id, workspace_id, position, sha256, size, filename, content_type, content_id)
    select id, workspace_id, position, decode(sha256, 'hex'), size, filename, content_type, content_id
    from request, json_to_recordset(attachments) as attachment (
      position smallint, sha256 text, size int, filename text, content_type text, content_id text
    )
  ),`,
  }),
};

/**
 * Whether an error from `insertEmails` means that another transaction used one of the idempotency keys after they were
 * read. That can only happen if the two requests are counted in different months, because such requests do not wait for
 * each other.
 */
export function isKeyTaken(error: unknown): boolean {
  const { table } = error as { table?: unknown };
  return findSqlState(error) === sqlStates.notNullViolation && table === 'idempotency_keys';
}

/** Whether any of these emails exists. */
export async function anyExists(
  send: Send,
  emails: ReadonlyArray<Pick<NewEmail, 'id' | 'workspaceId'>>,
): Promise<boolean> {
  const text = `
    select from emails join unnest($1::uuid[], $2::uuid[]) as wanted (workspace_id, id) using (workspace_id, id) limit 1`;
  const values = [emails.map(({ workspaceId }) => workspaceId), emails.map(({ id }) => id)];
  const rows = await send({ name: 'any_email_exists', text }, values);
  return rows.length > 0;
}
