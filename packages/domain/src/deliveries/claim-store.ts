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
 * @param due common table expressions; the last one, `due`, selects and locks ids of emails
 * @param lease the parameter with the lease in seconds
 * @param reclaims whether the emails are still held by a worker that stopped
 */
export function claimSql(due: string, { lease, reclaims }: { lease: string; reclaims: boolean }): string {
  return `
    with recursive ${due},
    claimed as (
      update emails
      set status = 'sending', attempt = emails.attempt + 1, lease_until = now() + ${lease}::int * interval '1 second'
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
      contents.email_id is not null as has_content, contents.html, contents.text, contents.template_vars, contents.cc,
      contents.reply_to, contents.headers, contents.request_id,
      (
        select json_agg(json_build_object('position', position, 'address', address, 'status', status) order by position)
        from email_recipients where email_recipients.email_id = claimed.id
      ) as recipients
    from claimed
    left join email_contents as contents on contents.email_id = claimed.id
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
      select id from emails where id = any($1::uuid[]) and status = 'queued' for update skip locked
    )`,
    { lease: '$2', reclaims: false },
  ),
};

/** Claims those of the given emails that wait for their first attempt. */
export function claimEmails(db: Db, ids: readonly string[], leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, BY_IDS, [ids, leaseSeconds]);
}

/** @param values the last one is the lease in seconds */
export async function claim(db: Db, statement: Statement, values: unknown[]): Promise<ClaimedEmail[]> {
  const rows = await inPipeline(db, (send) => send<ClaimedRow>(statement, values));
  return rows.map(toClaimedEmail);
}
