import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { connectDatabase, type Db } from '../database/connect.js';
import { isUnavailable } from '../is-unavailable.js';
import type { Log } from '../logging/log.js';

/** How long a list may wait until the replica has caught up with the primary. */
const LIST_WAIT_MS = 100;
/** An export takes seconds anyway, and it is what the primary should be spared most. */
const EXPORT_WAIT_MS = 3_000;
const POLL_MS = 10;
/** A replica that is silent for this long when a connection is checked counts as unusable. */
const MAX_CHECK_MS = 500;
/** How long a query may be silent before the read is repeated on the primary. */
const SILENCE_MS = 3_000;
/** After a failure, the replica is left alone for this long. */
const REST_MS = 5_000;

/** `behind`: it had not caught up in time. `unusable`: it did not answer, or does not follow the primary. */
export type ReplicaOutcome = 'replica' | 'behind' | 'unusable';

/** A standby that takes reads off the primary. */
export type Replica = {
  readonly db: Db;
  /** How many reads went to the replica, and how many to the primary instead. */
  readonly reads: Record<ReplicaOutcome, number>;
  /** When to try again, on the clock of `performance.now`. 0 while the replica works. */
  restsUntil: number;
};

/** @param url null if there is no replica. Connections are opened with the first read */
export function openReplica(url: string | null): Replica | null {
  if (url === null) return null;
  const db = connectDatabase(url, { silenceMs: SILENCE_MS });
  return { db, reads: { replica: 0, behind: 0, unusable: 0 }, restsUntil: 0 };
}

type ReadContext = { readonly db: Db; readonly replica: Replica | null; readonly log: Log };

/** A read that only looks, on the database that it is given. It may run a second time, on the primary. */
type Read<Result> = (db: Db) => Promise<Result>;

/**
 * Reads a page of a list from the replica if the replica has everything that the primary has confirmed so far, and
 * otherwise from the primary. So a client finds in a list what any process has just accepted.
 *
 * Not for the event log: a standby does not know which transactions are still running on the primary, so
 * `event_horizon()` would let readers skip events.
 */
export function readList<Result>(ctx: ReadContext, read: Read<Result>): Promise<Result> {
  return readFromReplica(ctx, read, LIST_WAIT_MS);
}

/** Like `readList`, but waits longer for a replica that is behind. */
export function readExport<Result>(ctx: ReadContext, read: Read<Result>): Promise<Result> {
  return readFromReplica(ctx, read, EXPORT_WAIT_MS);
}

async function readFromReplica<Result>(ctx: ReadContext, read: Read<Result>, waitMs: number): Promise<Result> {
  const { db, replica } = ctx;
  if (replica === null) return read(db);
  const target = performance.now() < replica.restsUntil ? null : await readPosition(db);
  if (target === null) {
    replica.reads.unusable += 1;
    return read(db);
  }
  try {
    const found = await readOnceCaughtUp(replica.db, { target, waitMs }, read);
    replica.reads[found ? 'replica' : 'behind'] += 1;
    noteAnswer(ctx, replica);
    if (found) return found.result;
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof ReplicaError)) throw error;
    replica.reads.unusable += 1;
    noteFailure(ctx, replica, error);
  }
  return read(db);
}

/** The end of the log that the primary has confirmed, and which cluster it belongs to. */
type Position = { readonly lsn: string; readonly cluster: string };

/** @returns null if this server is not a primary, as during a failover */
async function readPosition(db: Db): Promise<Position | null> {
  const { rows } = await db.raw(
    `select case when pg_is_in_recovery() then null else pg_current_wal_flush_lsn() end as lsn,
       system_identifier::text as cluster
     from pg_control_system()`,
  );
  return rows[0].lsn === null ? null : rows[0];
}

/**
 * The check and the read use one connection, because the URL may lead to several standbys. The read is one snapshot.
 * @returns null if the replica is behind
 */
async function readOnceCaughtUp<Result>(
  db: Db,
  { target, waitMs }: { target: Position; waitMs: number },
  read: Read<Result>,
): Promise<{ result: Result } | null> {
  const opening = db.client.acquireConnection();
  const connection = await inTime<unknown>(opening);
  if (connection === null) {
    opening.then((late: unknown) => db.client.releaseConnection(late), ignore);
    throw new ReplicaError(`The replica did not answer within ${MAX_CHECK_MS} ms`);
  }
  try {
    const giveUpAt = performance.now() + waitMs;
    while (!(await hasCaughtUp(db, connection, target))) {
      if (performance.now() >= giveUpAt) return null;
      await sleep(POLL_MS);
    }
    const config = { connection, isolationLevel: 'repeatable read', readOnly: true } as Knex.TransactionConfig;
    return { result: await db.transaction(read, config) };
  } finally {
    await db.client.releaseConnection(connection);
  }
}

async function hasCaughtUp(db: Db, connection: unknown, { lsn, cluster }: Position): Promise<boolean> {
  const answer = await inTime(db.raw(CAUGHT_UP, { lsn, cluster }).connection(connection));
  if (answer === null) {
    // The connection must not be used again, because its answer may still come.
    (connection as { __knex__disposed?: unknown }).__knex__disposed = 'The replica did not answer';
    throw new ReplicaError(`The replica did not answer within ${MAX_CHECK_MS} ms`);
  }
  const [{ follows, has_caught_up: caughtUp }] = answer.rows;
  if (!follows) throw new ReplicaError('DATABASE_REPLICA_URL is not a standby that streams from the primary');
  return caughtUp;
}

/**
 * A server of another cluster, or one that was promoted or lost its primary, may be at a later position and still lack
 * rows.
 */
const CAUGHT_UP = `
  select
    pg_is_in_recovery() and exists (select from pg_stat_wal_receiver) and system_identifier = :cluster::bigint as follows,
    coalesce(pg_last_wal_replay_lsn() >= :lsn::pg_lsn, false) as has_caught_up
  from pg_control_system()`;

class ReplicaError extends Error {
  override name = 'ReplicaError';
}

/** @returns null if it takes longer than a check may take */
function inTime<Result>(promise: PromiseLike<Result>): Promise<Result | null> {
  return Promise.race([promise, sleep(MAX_CHECK_MS, null, { ref: false })]);
}

function noteAnswer({ log }: ReadContext, replica: Replica): void {
  if (replica.restsUntil > 0) log.info({}, 'replica_back');
  replica.restsUntil = 0;
}

function noteFailure({ log }: ReadContext, replica: Replica, error: unknown): void {
  if (replica.restsUntil === 0) log.warn({ error }, 'replica_unusable');
  replica.restsUntil = performance.now() + REST_MS;
}

function ignore(): void {}
