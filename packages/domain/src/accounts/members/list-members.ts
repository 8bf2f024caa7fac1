import type { Context } from '@posthorn/platform';
import { listInvitedMembers } from './invitation-store.js';
import type { Member } from './member.js';
import { listJoinedMembers } from './member-store.js';

/** The invited members of a workspace, then the members who have joined. Both groups are sorted newest first. */
export async function listMembers({ db }: Pick<Context, 'db'>, workspaceId: string): Promise<Member[]> {
  return [...(await listInvitedMembers(db, workspaceId)), ...(await listJoinedMembers(db, workspaceId))];
}
