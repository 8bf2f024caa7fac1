import type { PoolMode } from '@posthorn/platform/postgres';
import { openIncarnation } from '@posthorn/platform/redis';
import { checkReplica } from '@posthorn/platform/replica';
import type { CliContext } from '../context.js';
import { reasonOf } from '../errors.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';

export function replicaCheck({ config, db }: CliContext): Check {
  const { databaseReplicaUrl: url, databasePoolMode: poolMode } = config;
  return {
    name: 'replica',
    run: async () => (url === null ? skipped('DATABASE_REPLICA_URL is not set') : check({ db }, url, poolMode)),
  };
}

async function check({ db }: Pick<CliContext, 'db'>, url: string, poolMode: PoolMode): Promise<CheckOutcome> {
  const incarnation = openIncarnation(db);
  try {
    await incarnation.read();
  } catch {
    return skipped('Postgres cannot be read');
  }
  try {
    const hasCaughtUp = await checkReplica({ db, incarnation }, url, poolMode);
    if (hasCaughtUp === null) return skipped('DATABASE_URL leads to no primary now');
    return ok(hasCaughtUp ? 'It has caught up with the primary' : 'It follows the primary, and is a moment behind');
  } catch (error) {
    return failed(
      reasonOf(error),
      'Point DATABASE_REPLICA_URL to a standby of this primary. Until then, lists are read from the primary.',
    );
  }
}
