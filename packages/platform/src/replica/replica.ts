import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { connectDatabase, type Db, isUnavailable } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import {
  hasCaughtUp,
  inTime,
  MAX_CHECK_MS,
  type Position,
  type PrimaryContext,
  ReplicaError,
  readPosition,
  throwCheckError,
} from './replica-position.js';

/** What is read: a page of a list, or an export. */
type ReadKind = 'list' | 'export';

/**
 * How long a read may wait until the replica has caught up with the primary. An export takes seconds anyway, and it is
 * what the primary should be spared most.
 */
const WAIT_MS: Readonly<Record<ReadKind, number>> = { list: 100, export: 3_000 };
const POLL_MS = 10;
/**
 * After waiting in vain, reads of the same kind do not wait for ten times as long. An export has thousands of pages, and
 * each would wait.
 */
const NO_WAIT_FACTOR = 10;
/** Each waiting read holds one of the ten connections to the replica. */
const MAX_WAITING = 5;
/** How long a query may be silent before the read is repeated on the primary. */
const SILENCE_MS = 3_000;
/** After a failure, nothing is read from the replica for this long. */
const PAUSE_MS = 5_000;

/** `behind`: it had not caught up in time. `unusable`: it did not answer, or does not follow the primary. */
export type ReplicaOutcome = 'replica' | 'behind' | 'unusable';

/** A standby that takes reads off the primary. */
export type Replica = {
  readonly db: Db;
  /** How many reads went to the replica, and how many to the primary instead. */
  readonly reads: Record<ReplicaOutcome, number>;
  /** When it is tried again, on the clock of `performance.now`. 0 while the replica works. */
  pausedUntil: number;
  /** From when on each kind of read may wait for a replica that is behind, on the same clock. */
  readonly mayWaitFrom: Record<ReadKind, number>;
  /** How many reads wait now. */
  waiting: number;
};

/** Connections are opened with the first read. @returns null if there is no replica */
export function connectReplica({
  databaseReplicaUrl: url,
  databasePoolMode: poolMode,
}: Pick<Config, 'databaseReplicaUrl' | 'databasePoolMode'>): Replica | null {
  if (url === null) return null;
  const db = connectDatabase(url, { silenceMs: SILENCE_MS, poolMode });
  const reads = { replica: 0, behind: 0, unusable: 0 };
  return { db, reads, pausedUntil: 0, mayWaitFrom: { list: 0, export: 0 }, waiting: 0 };
}

type ReadContext = PrimaryContext & { readonly replica: Replica | null; readonly log: Log };

/** A read-only query on the given database. It may run a second time, on the primary. */
type Read<Result> = (db: Db) => Promise<Result>;

/**
 * Reads a page of a list from the replica if the replica has everything that the primary has confirmed so far, and
 * otherwise from the primary. So a client finds in a list what any process has just accepted.
 *
 * Not for the event log: a standby does not know which transactions are still running on the primary, so
 * `event_horizon()` would let readers skip events.
 */
export function readList<Result>(ctx: ReadContext, read: Read<Result>): Promise<Result> {
  return readFromReplica(ctx, read, 'list');
}

/** Like `readList`, but waits longer for a replica that is behind. */
export function readExport<Result>(ctx: ReadContext, read: Read<Result>): Promise<Result> {
  return readFromReplica(ctx, read, 'export');
}

async function readFromReplica<Result>(ctx: ReadContext, read: Read<Result>, kind: ReadKind): Promise<Result> {
  const { db, replica } = ctx;
  if (replica === null) return read(db);
  const target = await findTarget(ctx, replica);
  if (target === null) {
    replica.reads.unusable += 1;
    return read(db);
  }
  try {
    const found = await readOnceCaughtUp(replica, { target, kind }, read);
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

/** @returns null if no replica can be checked now */
async function findTarget(ctx: ReadContext, replica: Replica): Promise<Position | null> {
  if (performance.now() < replica.pausedUntil) return null;
  try {
    return await readPosition(ctx).catch(throwCheckError);
  } catch (error) {
    // The primary cannot be reached.
    if (!(error instanceof ReplicaError)) throw error;
    noteFailure(ctx, replica, error);
    return null;
  }
}

/**
 * The check and the read use one connection, because the URL may lead to several standbys. The read is one snapshot.
 * @returns null if the replica is behind
 */
async function readOnceCaughtUp<Result>(
  replica: Replica,
  { target, kind }: { target: Position; kind: ReadKind },
  read: Read<Result>,
): Promise<{ result: Result } | null> {
  const { db } = replica;
  const opening = db.client.acquireConnection();
  const connection = await inTime<unknown>(opening);
  if (connection === null) {
    opening.then((late: unknown) => db.client.releaseConnection(late), ignore);
    throw new ReplicaError(`The replica did not answer within ${MAX_CHECK_MS} ms`);
  }
  try {
    const isCurrent = await hasCaughtUp(db, connection, target);
    if (!isCurrent && !(await waitFor(replica, kind, () => hasCaughtUp(db, connection, target)))) return null;
    const config = { connection, isolationLevel: 'repeatable read', readOnly: true } as Knex.TransactionConfig;
    return { result: await db.transaction(read, config) };
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/** @returns whether the replica caught up in time. False at once if such reads should not wait now */
async function waitFor(replica: Replica, kind: ReadKind, check: () => Promise<boolean>): Promise<boolean> {
  const startedAt = performance.now();
  if (startedAt < replica.mayWaitFrom[kind] || replica.waiting >= MAX_WAITING) return false;
  replica.waiting += 1;
  try {
    while (performance.now() - startedAt < WAIT_MS[kind]) {
      await sleep(POLL_MS);
      if (await check()) return true;
    }
  } finally {
    replica.waiting -= 1;
  }
  replica.mayWaitFrom[kind] = performance.now() + NO_WAIT_FACTOR * WAIT_MS[kind];
  return false;
}

function noteAnswer({ log }: ReadContext, replica: Replica): void {
  if (replica.pausedUntil > 0) log.info({}, 'replica_back');
  replica.pausedUntil = 0;
}

function noteFailure({ log }: ReadContext, replica: Replica, error: unknown): void {
  if (replica.pausedUntil === 0) log.warn({ error }, 'replica_unusable');
  replica.pausedUntil = performance.now() + PAUSE_MS;
}

function ignore(): void {}
