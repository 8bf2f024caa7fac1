import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, firstIdAt } from '@posthorn/platform/values';
import { deleteBouncesBelow } from './bounce-store.js';
import { deleteStatsBefore } from './sending-stats-store.js';

const BOUNCES_PER_STATEMENT = 1_000;

/**
 * Deletes counts and bounces that are too old for any rate.
 * @param now the time according to Postgres
 * @param mayContinue called before each statement. If it returns false, the rest is left for a later call
 */
export async function deleteOldStats(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const before = now.getTime() - limits.sendingStatsDays.max * DAY_MS;
  await deleteStatsBefore(db, new Date(before));
  const below = firstIdAt(before);
  await deleteInBatches((size) => deleteBouncesBelow(db, below, size), BOUNCES_PER_STATEMENT, mayContinue);
}
