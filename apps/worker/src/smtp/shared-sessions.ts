import { randomUUID } from 'node:crypto';
import { keepSessions, returnSession, SESSION_LEASE_MS, takeSession } from '@posthorn/domain/relays';
import { type LimitContext, WORKERS_WITHOUT_REDIS } from './relay-limits.js';

/** The right to sessions with a relay whose sessions are limited over all workers. */
export type SharedSessions = {
  /** @returns the right to one session; null if all workers together have as many as they may */
  take(): Promise<string | null>;
  giveBack(session: string): void;
  close(): void;
};

/** Of a relay whose sessions are limited by the slots of each worker alone. */
export const UNLIMITED: SharedSessions = { take: async () => '', giveBack() {}, close() {} };

/** @property here how many of them this worker may have */
type Limited = { readonly id: string; readonly connections: number; readonly here?: number };

/** While Redis is unreachable, this worker has a part of the sessions, and those that are open stay open. */
export function openSharedSessions(ctx: LimitContext, { id, connections: max, here = max }: Limited): SharedSessions {
  const held = new Set<string>();
  const report = (error: unknown) => ctx.log.debug({ error }, 'shared_sessions_not_kept');
  const keeping = setInterval(() => void keepSessions(ctx, id, [...held]).catch(report), SESSION_LEASE_MS / 3).unref();
  /** @param session is one of `held` already */
  const mayTakeAlone = () => held.size <= Math.ceil(max / WORKERS_WITHOUT_REDIS);
  return {
    async take() {
      if (held.size >= here) return null;
      const session = randomUUID();
      // Others that are taken while Redis is asked count it, too.
      held.add(session);
      if (await takeSession(ctx, id, { session, max }).catch(mayTakeAlone)) return session;
      held.delete(session);
      return null;
    },
    giveBack(session) {
      held.delete(session);
      void returnSession(ctx, id, session).catch(report);
    },
    close: () => clearInterval(keeping),
  };
}
