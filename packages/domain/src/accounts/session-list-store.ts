import type { Knex } from 'knex';
import { type ListPage, type Pagination, toPage } from '../list-page.js';
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
  const { limit, after, before } = pagination;
  const { createdAfter, seenAfter } = sessionCutoffs(now);
  const query = db('sessions')
    .select('id', 'workspace_id', 'created_at', 'last_seen_at')
    .where({ user_id: userId })
    .where('created_at', '>', createdAfter)
    .where('last_seen_at', '>', seenAfter)
    .orderBy('id', before === null ? 'desc' : 'asc')
    .limit(limit + 1);
  if (after !== null) query.where('id', '<', after);
  if (before !== null) query.where('id', '>', before);
  const found = await query;
  const rows = found.slice(0, limit).map(toListedSession);
  return toPage(before === null ? rows : rows.toReversed(), found.length > limit, pagination);
}

function toListedSession(row: {
  id: string;
  workspace_id: string;
  created_at: Date;
  last_seen_at: Date;
}): ListedSession {
  return { id: row.id, workspaceId: row.workspace_id, createdAt: row.created_at, lastSeenAt: row.last_seen_at };
}
