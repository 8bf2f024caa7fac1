import type { Context } from '../context.js';
import { deleteSession } from './session-store.js';
import { hashToken } from './token.js';

/** Ends the session of a token on every process; a token that has none is left alone. */
export async function logOut(ctx: Pick<Context, 'db'>, token: string): Promise<void> {
  await deleteSession(ctx.db, hashToken(token));
}
