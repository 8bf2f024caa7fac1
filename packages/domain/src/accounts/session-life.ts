import { DAY_MS } from '../durations.js';

/** A session ends this long after its log-in, and earlier when it is not used for `idleDays`. */
export const sessionLife = { days: 30, idleDays: 7 } as const;

/** Sessions that began or were seen before these moments are over. */
export function sessionCutoffs(now: Date): { createdAfter: Date; seenAfter: Date } {
  return {
    createdAfter: new Date(now.getTime() - sessionLife.days * DAY_MS),
    seenAfter: new Date(now.getTime() - sessionLife.idleDays * DAY_MS),
  };
}
