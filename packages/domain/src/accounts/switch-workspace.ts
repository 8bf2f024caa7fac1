import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import type { SessionCaller } from './caller.js';
import { lockMembership } from './membership-store.js';
import { moveSession } from './session-store.js';

/**
 * Switches the session to another workspace of its user.
 * @throws Refusal not_found for a workspace that the user does not belong to
 */
export async function switchWorkspace(
  ctx: Pick<Context, 'db'>,
  { id, user }: SessionCaller,
  workspaceId: string,
): Promise<void> {
  const moved =
    isId(workspaceId) &&
    (await ctx.db.transaction(async (trx) => {
      if (!(await lockMembership(trx, { workspaceId, userId: user.id }))) return false;
      await moveSession(trx, id, workspaceId);
      return true;
    }));
  if (!moved) throw new Refusal('not_found', { what: 'workspace' });
}
