import type { RecipientStatus } from '@posthorn/contract';
import { assertMove, deriveCanceledStatus, insertEmailEvent, setCanceled } from '@posthorn/domain/emails';
import type { Knex } from 'knex';
import { readWaitingEmail, setRecipientStatus, type WaitingEmail } from './stop-sending-store.js';

/** One send to give back. */
export type Refund = { readonly workspaceId: string; readonly usageDay: string };

/**
 * Makes sure that a waiting email is not sent to the address. The recipient ends as canceled, and its send is refunded.
 * After an attempt of unknown end, a mail server may already have the message, so the recipient ends as failed, and
 * nothing is refunded. If other recipients are waiting, the email goes on without this one.
 * @returns null if there is nothing to refund
 */
export async function stopSending(
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
