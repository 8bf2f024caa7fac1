import type { Context } from '../context.js';
import { markDeleted } from './domain/domain-store.js';
import { deleteKeys } from './keys/domain-key-store.js';

/**
 * At once, also while mail waits that comes from it: that fails when its time comes, and says why. The
 * name is free for whoever proves it next.
 * @returns false when the workspace has no such domain
 */
export function deleteDomain(ctx: Pick<Context, 'db' | 'now'>, workspaceId: string, id: string): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const deleted = await markDeleted(trx, workspaceId, id, ctx.now());
    if (deleted) await deleteKeys(trx, id);
    return deleted;
  });
}
