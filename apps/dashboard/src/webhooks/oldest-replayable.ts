import { replayLimits } from '@posthorn/contract';

const DAY_MS = 86_400_000;

/** Events that were created before this time cannot be replayed. */
export function oldestReplayable(): Date {
  return new Date(Date.now() - replayLimits.days * DAY_MS);
}
