import type { Db } from '@posthorn/platform/postgres';

/** What the emails have in common. */
export type StoredEmails = { readonly workspaceId: string; readonly from: string; readonly templateId: string };

/** Each filter matches one in this many emails. */
const ONE_IN = { team: 20, bounced: 100, template: 100, rareTag: 1_000 } as const;

const SINCE = new Date('2026-01-01T00:00:00Z');

/** When the n-th email was accepted: one a second. */
export function storedAt(n: number): Date {
  return new Date(SINCE.getTime() + n * 1_000);
}

/** The id of the n-th email from `fillStored`. */
export function storedId(n: number): string {
  const ms = storedAt(n).getTime().toString(16).padStart(12, '0');
  const rest = n.toString(16).padStart(15, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8${rest.slice(0, 3)}-${rest.slice(3)}`;
}

/**
 * Inserts emails as if they had been sent long ago. They have the same rows as delivered emails, but short bodies,
 * because the size of bodies is not what the reads measure. Foreign keys are not checked while it runs.
 * @param range numbers of the first and last email
 */
export async function fillStored(
  db: Db,
  { workspaceId, from, templateId }: StoredEmails,
  range: { first: number; last: number },
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica; set local synchronous_commit = off');
    await trx.raw(STORED, { ...range, since: SINCE, ...ONE_IN, workspaceId, from, templateId });
  });
}

/** As in a UUIDv7, the first 48 bits of the id are the time in milliseconds. */
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
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day,
      template_id, template_version, tags
    )
    select id, :workspaceId, status, :from, :from, 'Your order has been shipped', array[address], 1, at, at::date,
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
  ),
  new_events as (
    insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
    select gen_random_uuid(), id, 1, :workspaceId::uuid, 'email.accepted', null, null, at from entry
    union all select gen_random_uuid(), id, 2, :workspaceId, 'email.' || status, address, '250 2.0.0 Ok: queued', at from entry
  )
  insert into usage (workspace_id, period, used)
  select :workspaceId, period, count(*)
  from entry, lateral (values (to_char(at::date, 'YYYY-MM')), (to_char(at::date, 'YYYY-MM-DD'))) as of_day (period)
  group by period
  on conflict (workspace_id, period) do update set used = usage.used + excluded.used`;
