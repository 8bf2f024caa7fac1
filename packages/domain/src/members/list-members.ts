import type { Context } from '../context.js';
import { listInvited } from './invitation-store.js';
import type { Member } from './member.js';
import { listJoined } from './member-store.js';

/** Who is invited to a workspace and then who belongs to it, each newest first. */
export async function listMembers({ db }: Pick<Context, 'db'>, workspaceId: string): Promise<Member[]> {
  return [...(await listInvited(db, workspaceId)), ...(await listJoined(db, workspaceId))];
}
