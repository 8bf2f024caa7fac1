import type { Knex } from 'knex';
import type { Role } from './caller.js';

export type Membership = { workspaceId: string; userId: string; role: Role };

export async function insertMembership(db: Knex, membership: Membership & { createdAt: Date }): Promise<void> {
  await db('memberships').insert({
    workspace_id: membership.workspaceId,
    user_id: membership.userId,
    role: membership.role,
    created_at: membership.createdAt,
  });
}

/** The workspace that a user joined first: the one a log-in leads to. */
export async function findFirstWorkspaceId(db: Knex, userId: string): Promise<string | null> {
  const row = await db('memberships')
    .select('workspace_id')
    .where({ user_id: userId })
    .orderBy(['created_at', 'workspace_id'])
    .first();
  return row?.workspace_id ?? null;
}
