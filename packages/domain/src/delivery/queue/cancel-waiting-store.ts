import { handedOverStatuses } from '@posthorn/contract';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

/** @property lastSequence the sequence of its latest event */
export type CancelableEmail = { readonly id: string; readonly workspaceId: string; readonly lastSequence: number };

/** Locks those of the emails that may be canceled: no worker holds them, and no mail server may have them. */
export async function lockCancelable(trx: Knex, ids: readonly string[]): Promise<CancelableEmail[]> {
  const { rows } = await trx.raw(
    `select email_id as id, workspace_id as "workspaceId", last_sequence as "lastSequence"
     from deliveries where email_id = any(?::uuid[]) and lease_until is null and ambiguous_attempts = 0
     order by email_id for update`,
    [[...ids]],
  );
  return rows;
}

/** Emails of one workspace that counted on the same day. `liveId` is the workspace whose audit log they belong to. */
export type CanceledEmails = {
  readonly workspaceId: string;
  readonly liveId: string;
  readonly usageDay: string;
  readonly emails: number;
  /** Canceled recipients. */
  readonly sends: number;
};

/** Cancels emails whose queue entries are locked, and writes their events. */
export async function cancelLocked(trx: Knex, emails: readonly CancelableEmail[], at: Date): Promise<CanceledEmails[]> {
  const { rows } = await trx.raw(
    `with canceled as (
       select * from unnest(:ids::uuid[], :workspaceIds::uuid[], :eventIds::uuid[], :sequences::int[])
         as canceled (email_id, workspace_id, event_id, sequence)
     ),
     recipients as (
       update email_recipients set status = 'canceled', updated_at = :at
       from canceled
       where email_recipients.email_id = canceled.email_id and status in ('queued', 'deferred')
       returning email_recipients.email_id
     ),
     ended as (
       update emails set status = case
           when exists (
             select from email_recipients where email_id = emails.id and email_recipients.status = any(:handedOver)
           ) then 'sent' else 'canceled'
         end
       from canceled where emails.workspace_id = canceled.workspace_id and emails.id = canceled.email_id
       returning emails.id, emails.workspace_id, usage_day
     ),
     removed as (delete from deliveries where email_id = any(:ids::uuid[])),
     new_events as (
       insert into events (id, stream_id, sequence, workspace_id, type, created_at)
       select event_id, email_id, sequence, workspace_id, 'email.canceled', :at from canceled
     )
     select workspaces.id as "workspaceId", coalesce(test_of, workspaces.id) as "liveId",
       usage_day::text as "usageDay", count(*)::int as emails,
       sum((select count(*) from recipients where recipients.email_id = ended.id))::int as sends
     from ended join workspaces on workspaces.id = ended.workspace_id
     group by workspaces.id, usage_day
     order by workspaces.id, usage_day`,
    {
      ids: emails.map(({ id }) => id),
      workspaceIds: emails.map(({ workspaceId }) => workspaceId),
      eventIds: emails.map(() => newId()),
      sequences: emails.map(({ lastSequence }) => lastSequence + 1),
      handedOver: [...handedOverStatuses],
      at,
    },
  );
  return rows;
}
