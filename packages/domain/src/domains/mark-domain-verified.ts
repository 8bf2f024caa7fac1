import { operator, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { insertDomainEvent } from './domain-event-store.js';
import { lockDomain, updateDomainRow } from './domain-store.js';
import { isNameTaken, refuseTakenName, type SendingDomain, toDomainTarget } from './sending-domain.js';

/**
 * Marks a domain as verified by the operator. After that, failed checks have no effect until one passes. A unique
 * index ensures that only one workspace can verify the name.
 * @returns null when there is no such domain
 * @throws Refusal conflict when another workspace has verified the name
 */
export async function markDomainVerified(ctx: Pick<Context, 'db' | 'now'>, id: string): Promise<SendingDomain | null> {
  try {
    return await ctx.db.transaction(async (trx) => {
      const locked = await lockDomain(trx, id);
      if (!locked || locked.domain.status === 'verified') return locked?.domain ?? null;
      const now = ctx.now();
      const event = { type: 'verified', detail: 'Verified by the operator', createdAt: now } as const;
      await insertDomainEvent(trx, locked.domain, event);
      const times = { verifiedAt: now, statusSince: now, failingSince: null, nextCheckAt: null };
      const verified = await updateDomainRow(trx, id, { status: 'verified', verifiedByOperator: true, ...times });
      await recordVerified(trx, locked.domain, verified);
      return verified;
    });
  } catch (error) {
    throw isNameTaken(error) ? refuseTakenName() : error;
  }
}

function recordVerified(trx: Knex.Transaction, before: SendingDomain, after: SendingDomain): Promise<void> {
  return recordChange(trx, operator, {
    workspaceId: after.workspaceId,
    action: 'domain.verified_by_operator',
    target: toDomainTarget(after),
    before: { status: before.status },
    after: { status: after.status },
  });
}
