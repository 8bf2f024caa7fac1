import { type ListPage, type Pagination, pageById } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { sessionCutoffs } from './session-life.js';

/** A session in the user's list of sessions. */
export type ListedSession = {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdAt: Date;
  /** Accurate to the minute. */
  readonly lastSeenAt: Date;
};

/** One page of a user's open sessions in all workspaces, newest first. */
export async function listSessions(
  db: Knex,
  { userId, now }: { userId: string; now: Date },
  pagination: Pagination,
): Promise<ListPage<ListedSession>> {
  const { createdAfter, seenAfter } = sessionCutoffs(now);
  const query = db('sessions')
    .select('id', 'workspace_id', 'created_at', 'last_seen_at')
    .where({ user_id: userId })
    .where('created_at', '>', createdAfter)
    .where('last_seen_at', '>', seenAfter);
  return pageById(query, pagination, toListedSession);
}

function toListedSession(row: {
  id: string;
  workspace_id: string;
  created_at: Date;
  last_seen_at: Date;
}): ListedSession {
  return { id: row.id, workspaceId: row.workspace_id, createdAt: row.created_at, lastSeenAt: row.last_seen_at };
}
