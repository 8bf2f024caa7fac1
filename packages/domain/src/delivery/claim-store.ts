import { buildAttachmentsSql, MESSAGE_COLUMNS, SIZE_OF_CONTENT } from '@posthorn/domain/emails';
import { hasSuppressionsSql } from '@posthorn/domain/workspaces';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import type { ClaimedEmail } from './claimed-email.js';
import { type ClaimedRow, toClaimedEmail } from './claimed-row.js';
import { IS_UNDERSTOOD, IS_UNSENT, NEEDS_WITHOUT_INTENT, needs } from './needs.js';

/**
 * Claims the emails that `due` selects, in one statement. It sets their attempt numbers and leases, and returns
 * everything a worker needs to send them. Rows that another process has locked are skipped.
 *
 * The ids are put into an array, so that Postgres looks up each row by its id, however many rows the planner expects
 * from `due`. The statement is planned once and must be as fast with a million waiting emails as with none.
 * @param due common table expressions; the last one, `due`, selects and locks deliveries
 * @param lease the parameter with the lease in seconds
 * @param reclaims whether a worker that stopped still holds the emails. If so, the emails' attempts end as deferred if
 *   `due` states in `is_unsent` that no mail server has the message, and otherwise as ambiguous
 */
export function claimSql(due: string, { lease, reclaims }: { lease: string; reclaims: boolean }): string {
  return `
    with recursive ${due},
    claimed as (
      update deliveries
      set attempt = attempt + 1, claimed_at = now(),
        lease_until = now() + ${lease}::int * interval '1 second'${reclaims ? RECLAIMED_COLUMNS : ''}
      where email_id = any(array(select email_id from due))
      returning email_id, workspace_id, attempt, deferrals, ambiguous_attempts, needs
    )${reclaims ? ABANDONED : ''}
    select ${MESSAGE_COLUMNS}, claimed.attempt, claimed.deferrals,
      coalesce(emails.scheduled_at, emails.created_at) as first_due_at, emails.expires_at,
      ${reclaims ? RECLAIMED : ''}
      case
        when emails.domain_id is null or sending_domains.status = 'verified' then null
        when sending_domains.deleted_at is null then 'withdrawn'
        else 'deleted'
      end as sender_lost,
      claimed.ambiguous_attempts, claimed.needs,
      ${hasSuppressionsSql('claimed.workspace_id')} as has_suppressions,
      case when claimed.needs & ${needs.attachments} <> 0 then (${buildAttachmentsSql('claimed.email_id')}) end as attachments,
      (
        select json_agg(json_build_object('position', position, 'address', address, 'status', status) order by position)
        from email_recipients where email_recipients.email_id = claimed.email_id
      ) as recipients
    from claimed${reclaims ? ' join lost on lost.email_id = claimed.email_id' : ''}
    join emails on emails.workspace_id = claimed.workspace_id and emails.id = claimed.email_id
    left join email_contents as contents on contents.email_id = claimed.email_id
    ${SIZE_OF_CONTENT}
    left join sending_domains on sending_domains.id = emails.domain_id`;
}

const RECLAIMED_COLUMNS = `,
        ambiguous_attempts = ambiguous_attempts + (not (${IS_UNSENT}))::int, needs = ${NEEDS_WITHOUT_INTENT}`;

const ABANDONED = `,
    lost as (
      select email_id, claimed.workspace_id, claimed.attempt - 1 as attempt, due.claimed_at, is_unsent
      from claimed join due using (email_id)
    ),
    abandoned as (
      insert into delivery_attempts (email_id, workspace_id, attempt, outcome, conversation, started_at, ended_at)
      select email_id, workspace_id, attempt, case when is_unsent then 'deferred' else 'ambiguous' end,
        case when is_unsent then array['-- The worker stopped before it had sent the whole message'] else '{}' end,
        claimed_at, now()
      from lost
    )`;

/** This statement does not see the attempt that it has just stored. */
const RECLAIMED = `case when lost.is_unsent then 'unsent' else 'ambiguous' end as reclaimed,
      lost.is_unsent::int + (
        select count(*)::int from delivery_attempts as earlier
        where earlier.email_id = claimed.email_id and outcome = 'deferred' and phase is null
      ) as unsent_attempts,`;

const BY_IDS: Statement = {
  name: 'claim_by_ids',
  text: claimSql(
    `due as (
      select email_id, claimed_at from deliveries
      where email_id = any($1::uuid[]) and is_due and lease_until is null and attempt = 0 and ${IS_UNDERSTOOD}
      for update skip locked
    )`,
    { lease: '$2', reclaims: false },
  ),
};

/** Claims the given emails that are waiting for their first attempt. */
export function claimEmails(db: Db, ids: readonly string[], leaseSeconds: number): Promise<ClaimedEmail[]> {
  return claim(db, BY_IDS, [ids, leaseSeconds]);
}

/** @param values the parameters of the statement; the last one is the lease in seconds */
export async function claim(db: Db, statement: Statement, values: unknown[]): Promise<ClaimedEmail[]> {
  const rows = await inPipeline(db, (send) => send<ClaimedRow>(statement, values));
  return rows.map(toClaimedEmail);
}
