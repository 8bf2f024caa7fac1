import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { keyTarget } from './describe-key.js';
import { keyExists, markRevoked } from './key-store.js';

/**
 * Revokes a key. Revoking it again does not change its `revoked_at`.
 * @returns false if the workspace has no such key
 */
export async function revokeKey(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<boolean> {
  const now = ctx.now();
  return ctx.db.transaction(async (trx) => {
    const name = await markRevoked(trx, { workspaceId, id }, now);
    if (name === null) return keyExists(trx, { workspaceId, id });
    await recordChange(trx, actor, {
      workspaceId,
      action: 'api_key.revoked',
      target: keyTarget({ id, name }),
      before: { revoked_at: null },
      after: { revoked_at: now.toISOString() },
    });
    return true;
  });
}
