import type { Context } from '../context.js';
import { hashToken } from '../secrets/token.js';
import type { SessionCaller } from './caller.js';
import { findLiveSession, type LiveSession, updateLastSeen } from './session-store.js';

const TOUCH_EVERY_MS = 60_000;

export type AuthenticateSession = (token: string) => Promise<SessionCaller | null>;

/**
 * Asks Postgres each time: people are few and one indexed look-up is cheap, and so a session that
 * was ended, or a role that was changed, counts at once on every process.
 * @returns a function from a cookie's token to its caller; null for a session that is over
 */
export function sessionAuthenticator(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): AuthenticateSession {
  function touch({ caller, lastSeenAt }: LiveSession, now: Date): void {
    if (now.getTime() - lastSeenAt.getTime() < TOUCH_EVERY_MS) return;
    updateLastSeen(ctx.db, caller.id, now).catch((error) =>
      ctx.log.warn({ error, sessionId: caller.id }, 'session_touch_failed'),
    );
  }

  return async (token) => {
    const now = ctx.now();
    const session = await findLiveSession(ctx.db, { tokenHash: hashToken(token), now }, ctx.config.rateLimitPerMinute);
    if (!session) return null;
    touch(session, now);
    return session.caller;
  };
}
