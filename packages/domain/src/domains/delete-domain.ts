import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { markDeleted } from './domain/domain-store.js';
import { lockDomain } from './domain/verification-store.js';
import { domainTarget } from './domain-target.js';
import { deleteKeys } from './keys/domain-key-store.js';

/**
 * Deletes a domain at once, so that another workspace can verify the name. Waiting emails from the domain fail when
 * they are due, with an event that says why.
 * @returns false when the workspace has no such domain
 */
export function deleteDomain(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const domain = (await lockDomain(trx, id))?.domain;
    if (domain?.workspaceId !== workspaceId) return false;
    await markDeleted(trx, workspaceId, id, ctx.now());
    await deleteKeys(trx, id);
    const { name, status } = domain;
    const target = domainTarget(domain);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'domain.deleted',
      target,
      before: { name, status },
      after: null,
    });
    return true;
  });
}
