import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { createToken, hashToken } from '@posthorn/platform/secrets';
import { isId, newId } from '@posthorn/platform/values';
import type { SessionCaller } from './caller.js';
import { lockMembership } from './member-store.js';
import {
  deleteExpiredUserSessions,
  deleteSession,
  deleteUserSessions,
  findLiveSession,
  insertSession,
  type LiveSession,
  moveSession,
  updateLastSeen,
} from './session-store.js';
import { lockPassword, type User } from './user-store.js';

type OpenSession = { readonly user: Pick<User, 'id' | 'passwordHash'>; readonly workspaceId: string };

/**
 * Opens a session, unless the user's password has changed since it was checked. A new password ends all sessions, so a
 * login with the old one must not open another.
 * @param open.user the user, with the hash that the password was checked against
 * @returns the token for the cookie. It is new for every login, and only its hash is stored
 * @throws Refusal invalid_login if the password has changed in the meantime
 */
export async function openSession(
  ctx: Pick<Context, 'db' | 'now'>,
  { user, workspaceId }: OpenSession,
): Promise<string> {
  const [token, createdAt, userId] = [createToken(), ctx.now(), user.id];
  await ctx.db.transaction(async (trx) => {
    if (!(await lockPassword(trx, userId, user.passwordHash))) throw new Refusal('invalid_login');
    await deleteExpiredUserSessions(trx, userId, createdAt);
    await insertSession(trx, { id: newId(), tokenHash: hashToken(token), userId, workspaceId, createdAt });
  });
  return token;
}

/** The minimum time between two updates of a session's last_seen_at, to save writes. */
const MIN_UPDATE_INTERVAL_MS = 60_000;

/**
 * Finds the caller for a cookie's token. Reads the session from Postgres on each request, so that every process notices
 * at once if a session ends or a role changes. Few people use the dashboard and the lookup uses an index, so this is
 * cheap.
 * @returns null if the session has ended
 */
export async function authenticateSession(ctx: SessionContext, token: string): Promise<SessionCaller | null> {
  const now = ctx.now();
  const session = await findLiveSession(ctx.db, { tokenHash: hashToken(token), now }, ctx.config.rateLimitPerMinute);
  if (!session) return null;
  recordUse(ctx, session, now);
  return session.caller;
}

type SessionContext = Pick<Context, 'config' | 'db' | 'log' | 'now'>;

function recordUse({ db, log }: SessionContext, { caller, lastSeenAt }: LiveSession, now: Date): void {
  if (now.getTime() - lastSeenAt.getTime() < MIN_UPDATE_INTERVAL_MS) return;
  updateLastSeen(db, caller.id, now).catch((error) =>
    log.warn({ error, sessionId: caller.id }, 'last_seen_update_failed'),
  );
}

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

/** Ends the session of a token, across all processes. Does nothing if there is no such session. */
export async function logOut(ctx: Pick<Context, 'db'>, token: string): Promise<void> {
  await deleteSession(ctx.db, hashToken(token));
}

/** Ends every session of a user, across all processes and workspaces. */
export async function logOutEverywhere(ctx: Pick<Context, 'db'>, userId: string): Promise<void> {
  await deleteUserSessions(ctx.db, userId);
}
