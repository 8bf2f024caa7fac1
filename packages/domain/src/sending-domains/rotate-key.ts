import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { nextCheckAt } from './checks/check-schedule.js';
import type { SendingDomain } from './domain/sending-domain.js';
import { lockDomain, writeNextCheck } from './domain/verification-store.js';
import { generateDomainKey } from './keys/domain-key.js';
import { insertKey } from './keys/domain-key-store.js';
import { ensureActiveKey } from './keys/ensure-active-key.js';

/**
 * Makes a second key, which signs once a check has seen its record in DNS; until then the first one does.
 * @throws Refusal conflict while an earlier one waits
 */
export async function rotateKey(ctx: Pick<Context, 'config' | 'db' | 'now'>, { id }: SendingDomain): Promise<void> {
  await ensureActiveKey(ctx, id);
  const key = await generateDomainKey(ctx, id, 'pending');
  await ctx.db.transaction(async (trx) => {
    const known = await lockDomain(trx, id);
    if (!known) throw new Refusal('not_found', { what: 'domain' });
    if (!(await insertKey(trx, key))) throw waiting();
    const { createdAt } = key;
    const check = nextCheckAt(known.verification, { pendingKeySince: createdAt, result: 'unknown', now: createdAt });
    await writeNextCheck(trx, id, check);
  });
}

function waiting(): Refusal {
  return new Refusal('conflict', {
    reason: 'A new key waits already for its DNS record; publish that record, then verify the domain.',
  });
}
