import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { lockLiveWorkspace, refundUsage } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { cancelLocked, lockCancelable } from './cancel-waiting-store.js';
import { readWaitingPage, type WaitingFilter } from './waiting-page-store.js';

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
    const groups = await cancelLocked(trx, await lockCancelable(trx, ids), now());
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
