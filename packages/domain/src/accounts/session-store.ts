import type { Role } from '@posthorn/contract';
import { buildWorkspaceColumns, joinWorkspace, toWorkspace, type WorkspaceRow } from '@posthorn/domain/workspaces';
import { type ListPage, listColumns, listPageById, type Pagination, toColumns } from '@posthorn/platform/postgres';
import { DAY_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { SessionCaller } from './caller.js';

/** A session ends `days` days after login, or earlier if it is not used for `idleDays` days. */
export const sessionLife = { days: 30, idleDays: 7 } as const;

/** Sessions created before `createdAfter` or last seen before `seenAfter` have ended. */
function sessionCutoffs(now: Date): { createdAfter: Date; seenAfter: Date } {
  return {
    createdAfter: new Date(now.getTime() - sessionLife.days * DAY_MS),
    seenAfter: new Date(now.getTime() - sessionLife.idleDays * DAY_MS),
  };
}

type NewSession = { id: string; tokenHash: Buffer; userId: string; workspaceId: string; createdAt: Date };

/** An open session, with the caller behind its requests. */
export type LiveSession = { caller: SessionCaller; lastSeenAt: Date };

export async function insertSession(db: Knex, session: NewSession): Promise<void> {
  await db('sessions').insert(toColumns({ ...session, lastSeenAt: session.createdAt }));
}

/** The session that a token belongs to, with the user's current role and workspace; null if the session has ended. */
export async function findLiveSession(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
  defaultRate: number,
): Promise<LiveSession | null> {
  const { createdAfter, seenAfter } = sessionCutoffs(now);
  const query = db('sessions')
    .select('sessions.id', 'sessions.last_seen_at', 'memberships.role')
    .select('users.id as user_id', 'users.email', 'users.email_verified_at')
    .select(buildWorkspaceColumns(db))
    .where('sessions.token_hash', tokenHash)
    .where('sessions.created_at', '>', createdAfter)
    .where('sessions.last_seen_at', '>', seenAfter)
    .join('users', 'users.id', 'sessions.user_id')
    .join('memberships', (on) =>
      on.on('memberships.workspace_id', 'sessions.workspace_id').on('memberships.user_id', 'sessions.user_id'),
    );
  const row = await joinWorkspace(query, 'sessions.workspace_id').first();
  return row ? toLiveSession(row, defaultRate) : null;
}

type SessionRow = WorkspaceRow & {
  id: string;
  last_seen_at: Date;
  role: Role;
  user_id: string;
  email: string;
  email_verified_at: Date | null;
};

function toLiveSession(row: SessionRow, defaultRate: number): LiveSession {
  return {
    lastSeenAt: row.last_seen_at,
    caller: {
      kind: 'session',
      id: row.id,
      workspace: toWorkspace(row, defaultRate),
      user: { id: row.user_id, email: row.email, emailVerified: row.email_verified_at !== null, role: row.role },
    },
  };
}

/** Whether the row of a session still exists, even if the session has expired. */
export async function hasSession(db: Knex, id: string): Promise<boolean> {
  return (await db('sessions').select('id').where({ id }).first()) !== undefined;
}

export async function updateLastSeen(db: Knex, id: string, now: Date): Promise<void> {
  await db('sessions').where({ id }).update({ last_seen_at: now });
}

export async function moveSession(db: Knex, id: string, workspaceId: string): Promise<void> {
  await db('sessions').where({ id }).update({ workspace_id: workspaceId });
}

export async function deleteSession(db: Knex, tokenHash: Buffer): Promise<void> {
  await db('sessions').where({ token_hash: tokenHash }).delete();
}

/** @param except the id of a session to keep @returns how many sessions it ended */
export async function deleteUserSessions(
  db: Knex,
  userId: string,
  { except }: { except?: string } = {},
): Promise<number> {
  const query = db('sessions').where({ user_id: userId }).delete();
  if (except !== undefined) query.whereNot({ id: except });
  return query;
}

/** Expired sessions no longer work. Deleting them keeps their rows from piling up. */
export async function deleteExpiredUserSessions(db: Knex, userId: string, now: Date): Promise<void> {
  const { createdAfter, seenAfter } = sessionCutoffs(now);
  await db('sessions')
    .where({ user_id: userId })
    .where((expired) => expired.where('created_at', '<=', createdAfter).orWhere('last_seen_at', '<=', seenAfter))
    .delete();
}

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
    .select(listColumns('sessions', 'id workspaceId createdAt lastSeenAt'))
    .where({ user_id: userId })
    .where('created_at', '>', createdAfter)
    .where('last_seen_at', '>', seenAfter);
  return listPageById(query, pagination, (session: ListedSession) => session);
}
