import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { ClaimedEmail } from './claimed-email.js';
import { type ClaimedRow, toClaimedEmail } from './claimed-row.js';

/**
 * Claims the emails that `due` selects, in one statement. It sets status, attempt and lease, adds a row for the
 * attempt, and returns everything a worker needs to send. Rows that another process has locked are skipped.
 *
 * The ids go through an array, so that rows are looked up one by one whatever the planner believes about `due`. The
 * statement is planned once and must be as fast with a million waiting emails as with none.
 * @param due a query that selects and locks ids of emails; `$1` is the lease in seconds
 * @param reclaims whether the emails are still held by a worker that stopped
 */
function claimSql(due: string, { reclaims }: { reclaims: boolean }): string {
  return `
    with recursive ${due},
    claimed as (
      update emails
      set status = 'sending', attempt = emails.attempt + 1, lease_until = now() + $1::int * interval '1 second'
      where emails.id = any(array(select id from due))
      returning emails.*
    ),
    ${reclaims ? ABANDONED : ''}
    started as (
      insert into delivery_attempts (email_id, workspace_id, attempt, started_at)
      select id, workspace_id, attempt, now() from claimed
    )
    select claimed.id, claimed.workspace_id, claimed.attempt, claimed.deferrals, claimed.domain_id, claimed.from_,
      claimed."to", claimed.subject, claimed.template_id, claimed.template_version, claimed.created_at,
      coalesce(claimed.scheduled_at, claimed.created_at) as first_due_at,
      ${reclaims} as reclaimed,
      case
        when claimed.domain_id is null or sending_domains.status = 'verified' then null
        when sending_domains.deleted_at is null then 'withdrawn'
        else 'deleted'
      end as sender_lost,
      case when claimed.attempt = 1 then 0 else (
        select count(*) from delivery_attempts
        where delivery_attempts.email_id = claimed.id and outcome = 'ambiguous'
      ) end + ${reclaims}::int as ambiguous_attempts,
      contents.html, contents.text, contents.template_vars, contents.cc, contents.reply_to, contents.headers,
      (
        select json_agg(json_build_object('position', position, 'address', address, 'status', status) order by position)
        from email_recipients where email_recipients.email_id = claimed.id
      ) as recipients
    from claimed
    join email_contents as contents on contents.email_id = claimed.id
    left join sending_domains on sending_domains.id = claimed.domain_id`;
}

const ABANDONED = `
    abandoned as (
      update delivery_attempts set outcome = 'ambiguous', ended_at = now()
      from claimed
      where delivery_attempts.email_id = claimed.id
        and delivery_attempts.attempt = claimed.attempt - 1 and delivery_attempts.outcome is null
    ),`;

const BY_IDS: Statement = {
  name: 'claim_by_ids',
  text: claimSql(
    `due as (
      select id from emails where id = any($2::uuid[]) and status = 'queued' for update skip locked
    )`,
    { reclaims: false },
  ),
};

/** Claims those of the given emails that wait for their first attempt. */
export function claimEmails(db: Db, ids: readonly string[], leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, BY_IDS, [leaseSeconds, ids]);
}

/**
 * Each workspace with due emails gets the same share, so that a flood from one does not delay the rest. Workspaces
 * without a delivery on this worker come first, and otherwise the order is random. To find the workspaces, the query
 * skips through the index: one probe per workspace with waiting emails, and one to see whether any is due.
 */
const DUE: Statement = {
  name: 'claim_due',
  text: claimSql(
    `waiting_tenants as (
      (select workspace_id from emails where status in ('queued', 'scheduled', 'deferred') order by workspace_id limit 1)
      union all
      select (
        select workspace_id from emails
        where status in ('queued', 'scheduled', 'deferred') and emails.workspace_id > waiting_tenants.workspace_id
        order by workspace_id limit 1
      ) from waiting_tenants where waiting_tenants.workspace_id is not null
    ),
    tenants as materialized (
      select workspace_id, workspace_id = any($3::uuid[]) as is_holder
      from waiting_tenants, lateral (
        select from emails
        where status in ('queued', 'scheduled', 'deferred') and emails.workspace_id = waiting_tenants.workspace_id
          and due_at <= now()
        limit 1
      ) as due_mail
      where workspace_id is not null and not ($4::boolean and workspace_id = any($3::uuid[]))
    ),
    share as (
      select case when $4 then 1 else ceil($2::float / greatest(1, count(*)))::int end as size from tenants
    ),
    due as (
      select waiting.id
      from (select workspace_id from tenants order by is_holder, random()) as tenant,
      lateral (
        select id from emails
        where status in ('queued', 'scheduled', 'deferred') and workspace_id = tenant.workspace_id and due_at <= now()
        order by due_at limit (select size from share) for update skip locked
      ) as waiting
      limit $2::int
    )`,
    { reclaims: false },
  ),
};

export type DueClaim = {
  readonly limit: number;
  /** Workspaces that already hold a slot on this worker. They come last. */
  readonly holders: readonly string[];
  /** Whether to claim nothing for the holders and only one email for each other workspace. */
  readonly onlyOthers: boolean;
};

/** Claims due emails, whether or not a delivery job announced them. */
export function claimDueEmails(
  db: Db,
  { limit, holders, onlyOthers }: DueClaim,
  leaseSeconds: number,
): Promise<ClaimedEmail[]> {
  return claim(db, DUE, [leaseSeconds, limit, holders, onlyOthers]);
}

const EXPIRED: Statement = {
  name: 'claim_expired',
  text: claimSql(
    `due as (
      select id from emails
      where status = 'sending' and lease_until < now() and id <> all($3::uuid[])
      order by lease_until limit $2::int for update skip locked
    )`,
    { reclaims: true },
  ),
};

/**
 * Claims emails whose worker has not extended its lease in time.
 * @param held ids of emails that this worker still holds, although it failed to extend their leases
 */
export function claimExpiredEmails(
  db: Db,
  { limit, held }: { limit: number; held: readonly string[] },
  leaseSeconds: number,
): Promise<ClaimedEmail[]> {
  return claim(db, EXPIRED, [leaseSeconds, limit, held]);
}

async function claim(db: Db, statement: Statement, values: unknown[]): Promise<ClaimedEmail[]> {
  const rows = await inPipeline(db, (send) => send<ClaimedRow>(statement, values));
  return rows.map(toClaimedEmail);
}
