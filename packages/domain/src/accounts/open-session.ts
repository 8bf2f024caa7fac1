import type { Context } from '../context.js';
import { newId } from '../ids.js';
import { hashToken, newToken } from '../secrets/token.js';
import { deleteExpiredSessionsOf, insertSession } from './session-store.js';

/** @returns the token for the cookie. It is new for every login, and only its hash is stored */
export async function openSession(
  ctx: Pick<Context, 'db' | 'now'>,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<string> {
  const [token, createdAt] = [newToken(), ctx.now()];
  await deleteExpiredSessionsOf(ctx.db, userId, createdAt);
  await insertSession(ctx.db, { id: newId(), tokenHash: hashToken(token), userId, workspaceId, createdAt });
  return token;
}
