import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { invalid } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { auditedWorkspaceOf, suppressionFields, suppressionTarget } from './describe-suppression.js';
import type { Suppression } from './suppression.js';
import { deleteSuppressionRow, findSuppressionById, forgetBounces } from './suppression-store.js';

/**
 * Removes a suppression, so that the address gets mail again unless it has others. If it was a hard bounce,
 * earlier bounces of the address no longer count.
 * @param because why; required for a complaint, because mail to people who complained harms everyone's mail
 * @returns null when the workspace has no such suppression
 * @throws Refusal validation_failed if the reason is missing
 */
export async function removeSuppression(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  { id, because }: { id: string; because: string | null },
): Promise<Suppression | null> {
  const found = await findSuppressionById(ctx.db, workspaceId, id);
  if (found?.reason === 'complaint' && because === null) throw reasonMissing();
  return ctx.db.transaction(async (trx) => {
    const removed = await deleteSuppressionRow(trx, workspaceId, id);
    if (!removed) return null;
    if (removed.reason === 'hard_bounce' && removed.address !== null)
      await forgetBounces(trx, { workspaceId: removed.workspaceId, address: removed.address });
    await recordChange(trx, actor, {
      workspaceId: auditedWorkspaceOf(removed),
      action: 'suppression.removed',
      target: suppressionTarget(ctx.config, removed),
      before: suppressionFields(removed),
      after: because === null ? null : { because },
    });
    return removed;
  });
}

function reasonMissing(): Error {
  const message =
    'is required to remove a complaint: the recipient marked an email as spam. Say why they want mail again, such as because=they+signed+up+again';
  return invalid({ field: 'because', message });
}
