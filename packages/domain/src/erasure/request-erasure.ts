import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { parseBareAddress, toAddressKey } from '@posthorn/domain/format';
import { toShortAddressHash } from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import { sealSecret } from '@posthorn/platform/secrets';
import { getIdTime, newId, toFirstId } from '@posthorn/platform/values';
import { type Erasure, insertErasure } from './erasure-store.js';

/** Emails that other API processes accept at the same time may have slightly higher ids, because clocks differ. */
const MAX_CLOCK_DIFFERENCE_MS = 1_000;

/**
 * Asks the workers to erase a recipient from a workspace and its test mail. Emails that are accepted later are left
 * alone. The answer is the same whether or not there is any email to the address.
 * @throws AddressError; Error when SECRET_KEY is missing
 */
export async function requestErasure(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  { workspaceId, address: text }: { workspaceId: string; address: string },
): Promise<Erasure> {
  const address = toAddressKey(parseBareAddress(text));
  const id = newId();
  const requestedAt = new Date(getIdTime(id));
  const below = toFirstId(requestedAt.getTime() + MAX_CLOCK_DIFFERENCE_MS);
  const hash = toShortAddressHash(ctx.config, workspaceId, address);
  await ctx.db.transaction(async (trx) => {
    const sealed = sealSecret(ctx.config, Buffer.from(address), id);
    await insertErasure(trx, { id, workspaceId, sealed, requestedAt, below });
    await recordChange(trx, actor, {
      workspaceId,
      action: 'recipient.erased',
      target: { type: 'recipient', id, label: hash },
      before: null,
      after: { address_hash: hash },
    });
  });
  return { id, status: 'pending', erasedEmails: 0, waitingEmails: 0, requestedAt, finishedAt: null };
}
