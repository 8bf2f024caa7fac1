import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import type { SessionCaller } from './caller.js';
import { findLiveSession, type LiveSession, updateLastSeen } from './session-store.js';

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
