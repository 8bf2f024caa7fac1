import { handedOverStatuses } from '@posthorn/contract';
import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { forgetCounters, lockLiveWorkspace, refundUsage } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { readWaitingPage, type WaitingFilter } from './backlog-store.js';
import { lockChangeableEmail, lockChangeableEmails, type UnclaimedEmail } from './email-change-store.js';

/**
 * Cancels an email that no worker holds. Once this returns, the email will not be sent. If a deferred email has already
 * been sent to some recipients, it is canceled for the others. Usage is refunded for the canceled recipients.
 * @throws Refusal not_found, not_cancelable
 */
export async function cancelEmail(
  ctx: Pick<Context, 'db' | 'now' | 'incarnation' | 'redis'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const at = ctx.now();
  const groups = await ctx.db.transaction(async (trx) => {
    const canceled = await cancelLocked(trx, [await lockChangeableEmail(trx, workspaceId, id)], at);
    // This comes last, because no emails from this workspace can be accepted while its usage rows are locked.
    for (const group of canceled) await refundUsage(trx, group);
    return canceled;
  });
  for (const { usageDay } of groups) forgetCounters(ctx, workspaceId, [usageDay.slice(0, 7), usageDay]);
}

/** Each batch is a transaction of its own, and no email of its workspaces can be accepted while it commits. */
const BATCH_SIZE = 500;

/**
 * `refunded` counts recipients. `sending` and `ambiguous` are emails that were left alone: a worker holds them, or a mail
 * server may have them.
 */
export type CanceledWaiting = {
  readonly canceled: number;
  readonly refunded: number;
  readonly sending: number;
  readonly ambiguous: number;
};

/**
 * Cancels waiting emails for the operator, in batches, whether they are due, scheduled, deferred or parked. The same
 * emails can be canceled as through the API. The usage counters in Redis notice the refunds within a minute.
 * @param onBatch called after each batch with the counts so far
 */
export async function cancelWaiting(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  filter: WaitingFilter,
  onBatch: (counts: CanceledWaiting) => void = () => {},
): Promise<CanceledWaiting> {
  let counts: CanceledWaiting = { canceled: 0, refunded: 0, sending: 0, ambiguous: 0 };
  for (let after: string | null = NIL; after !== null; ) {
    const page = await readWaitingPage(ctx.db, { after, size: BATCH_SIZE, onlyParked: false, filter });
    const sending = page.emails.filter(({ isBeingSent }) => isBeingSent);
    const ambiguous = page.emails.filter(({ isBeingSent, isAmbiguous }) => isAmbiguous && !isBeingSent);
    const cancelable = page.emails.filter(({ isBeingSent, isAmbiguous }) => !isBeingSent && !isAmbiguous);
    const ended = await cancelBatch(
      ctx,
      actor,
      cancelable.map(({ id }) => id),
    );
    counts = {
      canceled: counts.canceled + ended.canceled,
      refunded: counts.refunded + ended.refunded,
      // The others have been claimed since the page was read.
      sending: counts.sending + sending.length + cancelable.length - ended.canceled,
      ambiguous: counts.ambiguous + ambiguous.length,
    };
    if (ended.canceled > 0) onBatch(counts);
    after = page.last;
  }
  return counts;
}

async function cancelBatch(
  { db, now }: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  ids: readonly string[],
): Promise<Pick<CanceledWaiting, 'canceled' | 'refunded'>> {
  if (ids.length === 0) return { canceled: 0, refunded: 0 };
  return db.transaction(async (trx) => {
    const groups = await cancelLocked(trx, await lockChangeableEmails(trx, ids), now());
    for (const liveId of new Set(groups.map((group) => group.liveId))) {
      const ofWorkspace = groups.filter((group) => group.liveId === liveId);
      await recordCanceled(trx, actor, liveId, total(ofWorkspace, 'emails'));
    }
    // This comes last, because no emails of these workspaces can be accepted while their usage rows are locked.
    for (const group of groups) await refundUsage(trx, group);
    return { canceled: total(groups, 'emails'), refunded: total(groups, 'sends') };
  });
}

async function recordCanceled(trx: Knex.Transaction, actor: Actor, workspaceId: string, emails: number): Promise<void> {
  await recordChange(trx, actor, {
    workspaceId,
    action: 'workspace.emails_canceled',
    target: await lockLiveWorkspace(trx, workspaceId),
    before: null,
    after: { emails },
  });
}

function total<Name extends string>(groups: ReadonlyArray<Record<Name, number>>, name: Name): number {
  return groups.reduce((sum, group) => sum + group[name], 0);
}

/** Emails of one workspace that counted on the same day. `liveId` is the workspace whose audit log they belong to. */
type CanceledEmails = {
  readonly workspaceId: string;
  readonly liveId: string;
  readonly usageDay: string;
  readonly emails: number;
  readonly sends: number;
};

/** Cancels emails whose queue entries are locked, and writes their events. */
async function cancelLocked(trx: Knex, emails: readonly UnclaimedEmail[], at: Date): Promise<CanceledEmails[]> {
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
