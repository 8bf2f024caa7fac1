import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { deleteSession, deleteUserSessions } from './session-store.js';

/** Ends the session of a token, across all processes. Does nothing if there is no such session. */
export async function logOut(ctx: Pick<Context, 'db'>, token: string): Promise<void> {
  await deleteSession(ctx.db, hashToken(token));
}

/** Ends every session of a user, across all processes and workspaces. */
export async function logOutEverywhere(ctx: Pick<Context, 'db'>, userId: string): Promise<void> {
  await deleteUserSessions(ctx.db, userId);
}
