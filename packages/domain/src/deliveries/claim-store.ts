import type { Knex } from 'knex';
import type { Db } from '../database/connect.js';
import type { TemplateVars } from '../emails/email.js';
import type { ClaimedEmail } from './claimed-email.js';

/**
 * Takes what a select names, in one statement: status, attempt and lease on the email, a new row for
 * the attempt, and everything a worker needs to send. Rows that another process holds are skipped.
 * @param due a query of `id, status` over emails that locks what it returns
 */
function claimSql(due: string): string {
  return `
    with recursive ${due},
    claimed as (
      update emails
      set status = 'sending', attempt = emails.attempt + 1, lease_until = now() + :lease::int * interval '1 second'
      from due where emails.id = due.id
      returning emails.*, due.status as previous_status
    ),
    vanished as (
      update delivery_attempts set outcome = 'ambiguous', ended_at = now()
      from claimed
      where claimed.previous_status = 'sending' and delivery_attempts.email_id = claimed.id
        and delivery_attempts.attempt = claimed.attempt - 1 and delivery_attempts.outcome is null
    ),
    started as (
      insert into delivery_attempts (email_id, workspace_id, attempt, started_at)
      select id, workspace_id, attempt, now() from claimed
    )
    select claimed.id, claimed.workspace_id, claimed.attempt, claimed.deferrals, claimed.domain_id, claimed.from_,
      claimed."to", claimed.subject, claimed.template_id, claimed.template_version, claimed.created_at,
      coalesce(claimed.scheduled_at, claimed.created_at) as wanted_at,
      claimed.previous_status = 'sending' as reclaimed,
      case
        when claimed.domain_id is null or sending_domains.status = 'verified' then null
        when sending_domains.deleted_at is null then 'withdrawn'
        else 'deleted'
      end as sender_lost,
      (
        select count(*) from delivery_attempts
        where delivery_attempts.email_id = claimed.id and outcome = 'ambiguous'
      ) + (claimed.previous_status = 'sending')::int as ambiguous_attempts,
      contents.html, contents.text, contents.template_vars, contents.cc, contents.reply_to, contents.headers,
      (
        select json_agg(json_build_object('position', position, 'address', address, 'status', status) order by position)
        from email_recipients where email_recipients.email_id = claimed.id
      ) as recipients
    from claimed
    join email_contents as contents on contents.email_id = claimed.id
    left join sending_domains on sending_domains.id = claimed.domain_id`;
}

const BY_IDS = claimSql(`
  due as (
    select id, status from emails where id = any(:ids::uuid[]) and status = 'queued' for update skip locked
  )`);

/** The emails among these that wait for their first attempt and nobody holds. */
export async function claimEmails(db: Db, ids: readonly string[], leaseSeconds: number): Promise<ClaimedEmail[]> {
  const { rows } = await db.raw(BY_IDS, { ids: [...ids], lease: leaseSeconds });
  return rows.map(toClaimed);
}

/**
 * Each workspace with due mail gets the same share, those first that this worker holds nothing of,
 * otherwise in no fixed order, so that one tenant's flood delays nobody else. Workspaces are found by
 * hopping through the index, one probe for each that waits for anything and one more for what is due.
 */
const DUE = claimSql(`
  waiting_tenants as (
    (select workspace_id from emails where status in ('queued', 'scheduled', 'deferred') order by workspace_id limit 1)
    union all
    select (
      select workspace_id from emails
      where status in ('queued', 'scheduled', 'deferred') and emails.workspace_id > waiting_tenants.workspace_id
      order by workspace_id limit 1
    ) from waiting_tenants where waiting_tenants.workspace_id is not null
  ),
  tenants as materialized (
    select workspace_id, workspace_id = any(:holders::uuid[]) as is_holder from waiting_tenants
    where workspace_id is not null
    and not (:only_others::boolean and workspace_id = any(:holders::uuid[]))
    and exists (
      select from emails where status in ('queued', 'scheduled', 'deferred')
      and emails.workspace_id = waiting_tenants.workspace_id and due_at <= now()
    )
  ),
  share as (
    select case when :only_others then 1 else ceil(:most::float / greatest(1, count(*)))::int end as size from tenants
  ),
  due as (
    select waiting.id, waiting.status
    from (select workspace_id from tenants order by is_holder, random()) as tenant,
    lateral (
      select id, status from emails
      where status in ('queued', 'scheduled', 'deferred') and workspace_id = tenant.workspace_id and due_at <= now()
      order by due_at limit (select size from share) for update skip locked
    ) as waiting
    limit :most::int
  )`);

export type DueClaim = {
  readonly most: number;
  /** Workspaces of which the worker holds mail already: they come last. */
  readonly holders: readonly string[];
  /** The holders get nothing, and everybody else one. */
  readonly onlyOthers: boolean;
};

/** Emails whose time has come, whether or not a bell was rung for them. */
export async function claimDueEmails(db: Db, claim: DueClaim, leaseSeconds: number): Promise<ClaimedEmail[]> {
  const { most, holders, onlyOthers } = claim;
  const { rows } = await db.raw(DUE, { most, holders: [...holders], only_others: onlyOthers, lease: leaseSeconds });
  return rows.map(toClaimed);
}

const EXPIRED = claimSql(`
  due as (
    select id, status from emails
    where status = 'sending' and lease_until < now() and id <> all(:held::uuid[])
    order by lease_until limit :most::int for update skip locked
  )`);

/**
 * Emails whose worker has not been heard of for the length of a lease.
 * @param held ids of those that this worker has in hand itself: it lives, only its leases could not be extended
 */
export async function claimExpiredEmails(
  db: Db,
  { most, held }: { most: number; held: readonly string[] },
  leaseSeconds: number,
): Promise<ClaimedEmail[]> {
  const { rows } = await db.raw(EXPIRED, { most, held: [...held], lease: leaseSeconds });
  return rows.map(toClaimed);
}

/** @returns ids whose lease is still ours; the others went to another worker */
export async function extendLeases(
  db: Knex,
  held: ReadonlyArray<{ id: string; attempt: number }>,
  leaseSeconds: number,
): Promise<Set<string>> {
  const { rows } = await db.raw(
    // Locked in the order of ids, as outcomes are: two groups over the same emails cannot deadlock.
    `with held as (
       select emails.id from unnest(?::uuid[], ?::int[]) as held (id, attempt)
       join emails on emails.id = held.id and emails.attempt = held.attempt and emails.status = 'sending'
       order by emails.id for update of emails
     )
     update emails set lease_until = now() + ?::int * interval '1 second'
     from held where emails.id = held.id
     returning emails.id`,
    [held.map(({ id }) => id), held.map(({ attempt }) => attempt), leaseSeconds],
  );
  return new Set(rows.map((row: { id: string }) => row.id));
}

type ClaimedRow = {
  id: string;
  workspace_id: string;
  attempt: number;
  deferrals: number;
  reclaimed: boolean;
  ambiguous_attempts: number;
  domain_id: string | null;
  from_: string;
  to: string[];
  cc: string[];
  reply_to: string[];
  subject: string;
  html: string | null;
  text: string | null;
  template_id: string | null;
  template_version: number | null;
  template_vars: TemplateVars | null;
  headers: Record<string, string>;
  created_at: Date;
  wanted_at: Date;
  sender_lost: ClaimedEmail['senderLost'];
  recipients: ClaimedEmail['recipients'];
};

function toClaimed(row: ClaimedRow): ClaimedEmail {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    attempt: row.attempt,
    deferrals: row.deferrals,
    reclaimed: row.reclaimed,
    ambiguousAttempts: row.ambiguous_attempts,
    domainId: row.domain_id,
    from: row.from_,
    to: row.to,
    cc: row.cc,
    replyTo: row.reply_to,
    subject: row.subject,
    html: row.html,
    text: row.text,
    template: toTemplate(row),
    headers: row.headers,
    createdAt: row.created_at,
    wantedAt: row.wanted_at,
    senderLost: row.sender_lost,
    recipients: row.recipients,
  };
}

function toTemplate({ template_id, template_version, template_vars }: ClaimedRow): ClaimedEmail['template'] {
  if (template_id === null || template_version === null) return null;
  return { id: template_id, version: template_version, vars: template_vars ?? {} };
}
