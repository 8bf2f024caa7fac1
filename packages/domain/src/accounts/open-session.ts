import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { hashToken, newToken } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { deleteExpiredUserSessions, insertSession } from './session-store.js';
import { lockPassword, type User } from './user-store.js';

export type OpenSession = { readonly user: Pick<User, 'id' | 'passwordHash'>; readonly workspaceId: string };

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
  const [token, createdAt, userId] = [newToken(), ctx.now(), user.id];
  await ctx.db.transaction(async (trx) => {
    if (!(await lockPassword(trx, userId, user.passwordHash))) throw new Refusal('invalid_login');
    await deleteExpiredUserSessions(trx, userId, createdAt);
    await insertSession(trx, { id: newId(), tokenHash: hashToken(token), userId, workspaceId, createdAt });
  });
  return token;
}
