import { isClosing } from './reply.js';

/** A learned limit is forgotten after this time, because the server may have raised it. */
const LEARNED_MS = 10 * 60_000;

/** What servers say instead of a greeting, or of an answer to EHLO or AUTH, if we have too many sessions. */
const TOO_MANY = /\btoo many\b.{0,40}\b(?:connections|sessions)\b|\bconcurrent\b|\bconnections? (?:rate )?limit/i;

/**
 * Learns how many sessions a relay allows: as many as there were when it refused another one. Messages then wait for one
 * of these sessions, instead of being refused again and again.
 * @param countSessions how many sessions are open or being opened
 */
export function openSessionLimit(countSessions: () => number) {
  let max = Number.POSITIVE_INFINITY;
  let until = 0;
  const waiting = new Set<() => void>();

  return {
    isReached: () => performance.now() < until && countSessions() >= max,
    /**
     * @param refusal why no session could be opened. Many servers send a 421 without saying why
     * @returns whether the relay refused it because too many sessions are open
     */
    learn({
      responseCode = null,
      message,
    }: {
      readonly responseCode?: number | null;
      readonly message: string;
    }): boolean {
      const others = countSessions();
      if (others === 0 || !(isClosing({ code: responseCode }) || TOO_MANY.test(message))) return false;
      max = performance.now() < until ? Math.min(max, others) : others;
      until = performance.now() + LEARNED_MS;
      return true;
    },
    /** Call this when the relay has allowed another session. */
    allow(): void {
      max = Math.max(max, countSessions());
    },
    /**
     * Waits until a session has become free or was closed, first come, first served.
     * @returns false after `ms`, if that is given, and at once if as many messages wait already as there are sessions.
     *   The others would keep slots from mail that goes elsewhere
     */
    untilFreed: (ms?: number) =>
      new Promise<boolean>((resolve) => {
        if (ms !== undefined && waiting.size >= Math.max(1, countSessions())) return resolve(false);
        const end = (isFree: boolean) => {
          clearTimeout(timer);
          waiting.delete(free);
          resolve(isFree);
        };
        const free = () => end(true);
        const timer = ms === undefined ? undefined : setTimeout(end, ms, false);
        waiting.add(free);
      }),
    /** Call this when a session has become free, was closed or could not be opened. */
    free(): void {
      const [next] = waiting;
      next?.();
    },
  };
}
