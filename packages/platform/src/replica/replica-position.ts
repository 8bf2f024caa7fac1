import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectDatabase,
  type Db,
  findSqlState,
  type Incarnation,
  isUnavailable,
  type PoolMode,
  sqlStates,
} from '@posthorn/platform/postgres';

/** A replica that is silent for this long when a connection is checked counts as unusable. */
export const MAX_CHECK_MS = 500;

/** The primary, and its incarnation. */
export type PrimaryContext = { readonly db: Db; readonly incarnation: Incarnation };

/** The end of the log that the primary has confirmed, the cluster that it belongs to, and the database's incarnation. */
export type Position = { readonly lsn: string; readonly cluster: string; readonly incarnation: string };

/** @returns null if this server is not a primary, as during a failover */
export async function readPosition({ db, incarnation }: PrimaryContext): Promise<Position | null> {
  const { rows } = await db.raw(
    `select case when pg_is_in_recovery() then null else pg_current_wal_flush_lsn() end as lsn,
       system_identifier::text as cluster
     from pg_control_system()`,
  );
  return rows[0].lsn === null ? null : { ...rows[0], incarnation: incarnation.id() };
}

/**
 * Asks a server whether it has everything up to a position of the primary.
 * @throws ReplicaError if it never will, or does not answer in time
 */
export async function hasCaughtUp(db: Db, connection: unknown, target: Position): Promise<boolean> {
  const asked = db.raw(CAUGHT_UP, target).connection(connection);
  const answer = await inTime(asked.then((found) => found, throwCheckError));
  if (answer === null) {
    // The connection must not be used again, because its answer may still come.
    (connection as { __knex__disposed?: unknown }).__knex__disposed = 'The replica did not answer';
    throw new ReplicaError(`The replica did not answer within ${MAX_CHECK_MS} ms`);
  }
  const [{ follows, has_caught_up: caughtUp, incarnation }] = answer.rows;
  if (!follows) throw new ReplicaError('DATABASE_REPLICA_URL is not a standby that streams from the primary');
  if (caughtUp && incarnation !== target.incarnation)
    throw new ReplicaError('The standby of DATABASE_REPLICA_URL is from before a restore. Rebuild it from the primary');
  return caughtUp;
}

/**
 * A server of another cluster, or one that was promoted or lost its primary, may be at a later position and still lack
 * rows. So may a standby that was not rebuilt after the files of its primary were restored from a backup: it has another
 * incarnation.
 */
const CAUGHT_UP = `
  select
    pg_is_in_recovery() and exists (select from pg_stat_wal_receiver) and system_identifier = :cluster::bigint as follows,
    coalesce(pg_last_wal_replay_lsn() >= :lsn::pg_lsn, false) as has_caught_up,
    (select id from incarnation) as incarnation
  from pg_control_system()`;

/** Why the replica cannot be used. */
export class ReplicaError extends Error {
  override name = 'ReplicaError';
}

/** Whatever a check fails with, the primary can still be read. @throws the error itself if the server is unavailable */
export function throwCheckError(error: unknown): never {
  if (isUnavailable(error)) throw error;
  if (findSqlState(error) === sqlStates.insufficientPrivilege)
    throw new ReplicaError(
      'To use DATABASE_REPLICA_URL, grant its user and that of DATABASE_URL: execute on function pg_control_system()',
    );
  throw new ReplicaError('The replica cannot be checked', { cause: error });
}

/** @returns null if it takes longer than a check may take */
export function inTime<Result>(promise: PromiseLike<Result>): Promise<Result | null> {
  return Promise.race([promise, sleep(MAX_CHECK_MS, null, { ref: false })]);
}

/**
 * Checks once what every read from the replica checks.
 * @returns whether the replica has everything that the primary has confirmed; null if the primary cannot say
 * @throws ReplicaError if the replica cannot be used, or the error of a server that cannot be reached
 */
export async function checkReplica(ctx: PrimaryContext, url: string, poolMode: PoolMode): Promise<boolean | null> {
  const target = await readPosition(ctx).catch(throwCheckError);
  if (target === null) return null;
  const db = connectDatabase(url, { poolSize: 1, poolMode });
  try {
    const connection = await db.client.acquireConnection();
    try {
      return await hasCaughtUp(db, connection, target);
    } finally {
      await db.client.releaseConnection(connection);
    }
  } finally {
    await db.destroy();
  }
}
