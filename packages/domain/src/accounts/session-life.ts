import { DAY_MS } from '@posthorn/platform/values';

/** A session ends `days` days after login, or earlier if it is not used for `idleDays` days. */
export const sessionLife = { days: 30, idleDays: 7 } as const;

/** Sessions created before `createdAfter` or last seen before `seenAfter` have ended. */
export function sessionCutoffs(now: Date): { createdAfter: Date; seenAfter: Date } {
  return {
    createdAfter: new Date(now.getTime() - sessionLife.days * DAY_MS),
    seenAfter: new Date(now.getTime() - sessionLife.idleDays * DAY_MS),
  };
}
