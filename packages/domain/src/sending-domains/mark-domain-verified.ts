import type { Context } from '../context.js';
import { insertDomainEvent } from './domain/domain-event-store.js';
import { isNameTaken, nameTaken } from './domain/name-taken.js';
import type { SendingDomain } from './domain/sending-domain.js';
import { lockDomain, writeNextCheck, writeVerification } from './domain/verification-store.js';

/**
 * Gives the name to the domain's workspace on the operator's word, and to no other: a unique index
 * decides races. It stays so whatever DNS says, until DNS proves it.
 * @returns null when there is no such domain
 * @throws Refusal conflict when another workspace has the name verified
 */
export async function markDomainVerified(ctx: Pick<Context, 'db' | 'now'>, id: string): Promise<SendingDomain | null> {
  try {
    return await ctx.db.transaction(async (trx) => {
      const known = await lockDomain(trx, id);
      if (!known || known.domain.status === 'verified') return known?.domain ?? null;
      const now = ctx.now();
      await insertDomainEvent(trx, known.domain, { type: 'verified', detail: 'by the operator', createdAt: now });
      await writeNextCheck(trx, id, null);
      const proven = {
        status: 'verified',
        verifiedAt: now,
        statusSince: now,
        verifiedByOperator: true,
        failingSince: null,
      } as const;
      return writeVerification(trx, id, proven);
    });
  } catch (error) {
    throw isNameTaken(error) ? nameTaken() : error;
  }
}
