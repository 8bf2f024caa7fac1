import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Knex } from 'knex';
import { describeMember, memberTarget } from './describe-member.js';
import { deleteInvitation } from './invitation-store.js';

/** Deletes an invitation, so that its link stops working. @returns false when there is no such invitation */
export async function removeInvitation(
  trx: Knex.Transaction,
  actor: Actor,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const invited = await deleteInvitation(trx, workspaceId, id);
  if (!invited) return false;
  const [target, before] = [memberTarget(invited), describeMember(invited)];
  await recordChange(trx, actor, { workspaceId, action: 'member.invitation_removed', target, before, after: null });
  return true;
}
