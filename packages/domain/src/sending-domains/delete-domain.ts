import type { Context } from '../context.js';
import { markDeleted } from './domain/domain-store.js';
import { deleteKeys } from './keys/domain-key-store.js';

/**
 * Deletes a domain at once, so that another workspace can verify the name. Waiting emails from the domain fail when
 * they are due, with an event that says why.
 * @returns false when the workspace has no such domain
 */
export function deleteDomain(ctx: Pick<Context, 'db' | 'now'>, workspaceId: string, id: string): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const deleted = await markDeleted(trx, workspaceId, id, ctx.now());
    if (deleted) await deleteKeys(trx, id);
    return deleted;
  });
}
