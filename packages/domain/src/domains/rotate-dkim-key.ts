import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { conflict, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { insertKey } from './dkim-key-store.js';
import { ensureActiveKey, generateDomainKey } from './dkim-keys.js';
import { lockDomain, updateDomainRow } from './domain-store.js';
import { type SendingDomain, toDomainTarget } from './sending-domain.js';
import { computeNextCheckAt } from './verification-rules.js';

/**
 * Creates a second key. Mail is signed with the first key until a check has found the record of the second key in DNS.
 * @throws Refusal conflict if another new key is already waiting for its record
 */
export async function rotateKey(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  { id }: Pick<SendingDomain, 'id'>,
): Promise<void> {
  await ensureActiveKey(ctx, id);
  const key = await generateDomainKey(ctx, id, 'pending');
  await ctx.db.transaction(async (trx) => {
    const locked = await lockDomain(trx, id);
    if (!locked) throw new Refusal('not_found', { what: 'domain' });
    if (!(await insertKey(trx, key))) throw keyAlreadyPending();
    const { createdAt } = key;
    const waiting = { pendingKeySince: createdAt, result: 'unknown', now: createdAt } as const;
    await updateDomainRow(trx, id, { nextCheckAt: computeNextCheckAt(locked.verification, waiting) });
    await recordChange(trx, actor, {
      workspaceId: locked.domain.workspaceId,
      action: 'domain.key_rotated',
      target: toDomainTarget(locked.domain),
      before: { pending_selector: null },
      after: { pending_selector: key.selector },
    });
  });
}

function keyAlreadyPending(): Refusal {
  return conflict('A new key is already waiting for its DNS record. Publish that record, then verify the domain.');
}
