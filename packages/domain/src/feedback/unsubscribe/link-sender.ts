import type { Knex } from 'knex';

/** Whose mail a link is about. */
export type LinkSender = {
  readonly name: string;
  /** The workspace whose suppressions apply. */
  readonly liveId: string;
  /** Nobody gets test mail, so its links change nothing. */
  readonly isTest: boolean;
};

/** @returns null if the workspace no longer exists */
export async function findLinkSender(db: Knex, workspaceId: string): Promise<LinkSender | null> {
  const row = await db('workspaces').select('id', 'name', 'test_of').where({ id: workspaceId }).first();
  return row ? { name: row.name, liveId: row.test_of ?? row.id, isTest: row.test_of !== null } : null;
}
