import type { RecipientStatus } from '@posthorn/contract';
import { buildHandoffKey } from '@posthorn/domain/delivery';
import { assertMove, deriveCanceledStatus, insertEmailEvent, setCanceled } from '@posthorn/domain/emails';
import { refundUsage } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import {
  eraseRows,
  eraseWebhookResponses,
  listAttemptNumbers,
  listUnfinished,
  lockWaitingEmails,
  readWaitingEmail,
  setRecipientStatus,
  type WaitingEmail,
} from './erase-rows-store.js';
import { markErased } from './erasure-emails-store.js';
import type { ErasureWork } from './erasure-store.js';

export type EraseContext = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'incarnation' | 'redis'>;

type ErasedBatch = { readonly erased: number; readonly refunds: readonly Refund[] };

/**
 * Erases emails, and first cancels those that are waiting for the erased recipient alone. An email that is being sent,
 * or that other recipients are waiting for, is left for a later call.
 * @param ids in order
 */
export async function eraseEmails(
  ctx: Pick<EraseContext, 'now' | 'incarnation' | 'redis'>,
  trx: Knex,
  { id: erasureId, address }: Pick<ErasureWork, 'id' | 'address'>,
  { workspaceId, ids }: { workspaceId: string; ids: readonly string[] },
): Promise<ErasedBatch> {
  if (ids.length === 0) return { erased: 0, refunds: [] };
  const at = ctx.now();
  const refunds: Refund[] = [];
  for (const email of await lockWaitingEmails(trx, ids)) {
    const refund = await stopSending(trx, email, { address, at });
    if (refund) refunds.push(refund);
  }
  const unfinished = new Set(await listUnfinished(trx, ids));
  const finished = ids.filter((id) => !unfinished.has(id));
  const erased =
    finished.length === 0 ? 0 : await eraseFinished(ctx, trx, { erasureId, address, workspaceId, finished });
  await refundAll(trx, refunds);
  return { erased, refunds };
}

type Finished = { erasureId: string; address: string; workspaceId: string; finished: readonly string[] };

async function eraseFinished(
  ctx: Pick<EraseContext, 'incarnation' | 'redis'>,
  trx: Knex,
  { erasureId, address, workspaceId, finished }: Finished,
): Promise<number> {
  // If Redis cannot be reached, the transaction fails and the batch is repeated later.
  const attempts = await listAttemptNumbers(trx, finished);
  await Promise.all(attempts.map(({ emailId, attempt }) => ctx.redis.del(buildHandoffKey(ctx, emailId, attempt))));
  await eraseWebhookResponses(trx, workspaceId, finished);
  await eraseRows(trx, { workspaceId, ids: finished, address });
  return markErased(trx, erasureId, finished);
}

/** This comes last, because no emails of the workspace can be accepted while its usage rows are locked. */
async function refundAll(trx: Knex, refunds: readonly Refund[]): Promise<void> {
  const sends = new Map<string, Refund & { sends: number }>();
  for (const refund of refunds) {
    const { usageDay } = refund;
    sends.set(usageDay, { ...refund, sends: (sends.get(usageDay)?.sends ?? 0) + 1 });
  }
  for (const day of [...sends.keys()].toSorted()) await refundUsage(trx, sends.get(day) as Refund & { sends: number });
}

/** One send to give back. */
export type Refund = { readonly workspaceId: string; readonly usageDay: string };

/**
 * Makes sure that a waiting email is not sent to the address. The recipient ends as canceled, and its send is refunded.
 * After an attempt of unknown end, a mail server may already have the message, so the recipient ends as failed, and
 * nothing is refunded. If other recipients are waiting, the email goes on without this one.
 * @returns null if there is nothing to refund
 */
async function stopSending(
  trx: Knex,
  email: WaitingEmail,
  { address, at }: { address: string; at: Date },
): Promise<Refund | null> {
  const { status: current, usageDay, recipients } = await readWaitingEmail(trx, email, address);
  const own = recipients.find(({ isErased, status }) => isErased && isWaiting(status));
  if (own === undefined) return null;
  const { id, workspaceId, ambiguousAttempts, lastSequence } = email;
  const status = ambiguousAttempts > 0 ? 'failed' : 'canceled';
  await setRecipientStatus(trx, id, { position: own.position, status, at });
  const statuses = recipients.map((recipient) => (recipient === own ? status : recipient.status));
  const goesOn = statuses.some(isWaiting);
  if (!goesOn) {
    const ended = deriveCanceledStatus(statuses) === 'sent' ? 'sent' : status;
    assertMove(current, ended);
    await setCanceled(trx, workspaceId, id, ended);
  }
  const recipient = goesOn ? address : null;
  await insertEmailEvent(trx, workspaceId, id, { sequence: lastSequence + 1, type: status, recipient, at });
  return status === 'canceled' ? { workspaceId, usageDay } : null;
}

function isWaiting(status: RecipientStatus): boolean {
  return status === 'queued' || status === 'deferred';
}
