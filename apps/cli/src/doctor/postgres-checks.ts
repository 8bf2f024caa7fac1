import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { compareSchema, findPartitionEnd, type PostgresFacts, readPostgresFacts } from '@posthorn/domain/doctor';
import { checkWritable, createIncarnation, type PoolMode } from '@posthorn/platform/postgres';
import { checkReplica } from '@posthorn/platform/replica';
import { DAY_MS } from '@posthorn/platform/values';
import type { CliContext } from '../command-line/context.js';
import { describeReason } from '../command-line/errors.js';
import { type Check, type CheckOutcome, checkFacts, failed, ok, skipped } from './check.js';

/** The oldest version that its developers still support: 14 ended on 2026-11-12. */
const MIN_VERSION = 150_000;
/** How many connections each process may open. */
const CONNECTIONS_PER_PROCESS = 10;
/** An API process, a worker, the two listeners, and a second of the first two during a deployment. */
const MIN_PROCESSES = 6;
const MAX_CONNECTIONS_SHARE = 0.8;
/** Postgres warns from here on, and stops at about 2.1 billion. */
const MAX_TRANSACTION_AGE = 1_000_000_000;
const MIN_FREE_SHARE = 0.1;
const GIGABYTE = 1_000_000_000;

/** Reads the facts once for all checks. If Postgres cannot be reached, only the first check fails. */
export function buildPostgresChecks({ db, now }: CliContext): Check[] {
  const facts = readPostgresFacts(db);
  const ifReachable = (name: string, evaluate: (found: PostgresFacts) => CheckOutcome | Promise<CheckOutcome>) =>
    checkFacts(`postgres ${name}`, facts, { evaluate, unreadable: 'Postgres cannot be read' });
  return [
    { name: 'postgres', run: async () => evaluateState(await checkWritable(db)) },
    ifReachable('version', evaluateVersion),
    ifReachable('durability', evaluateDurability),
    ifReachable('standby', evaluateStandby),
    ifReachable('connections', evaluateConnections),
    ifReachable('statistics', evaluateStatistics),
    ifReachable('schema', async () => evaluateSchema(await compareSchema(db))),
    ifReachable('partitions', async () => evaluatePartitions(await findPartitionEnd(db), now())),
    ifReachable('disk', evaluateDisk),
    ifReachable('vacuum', evaluateVacuum),
  ];
}

function evaluateState(state: Awaited<ReturnType<typeof checkWritable>>): CheckOutcome {
  switch (state) {
    case 'writable':
      return ok('Postgres can be written to');
    case 'read_only':
      return failed('Postgres is read-only', 'Promote it, or name the primary in DATABASE_URL.');
    case 'standby_lost':
      return failed(
        'Commits wait for a synchronous standby that is lost',
        'Start the standby, or remove it from synchronous_standby_names and reload the configuration.',
      );
    case 'unreachable':
      return failed('Postgres cannot be reached', 'Check DATABASE_URL, and whether Postgres runs.');
    default:
      return state satisfies never;
  }
}

export function evaluateVersion({ versionNumber }: Pick<PostgresFacts, 'versionNumber'>): CheckOutcome {
  const version = `${Math.floor(versionNumber / 10_000)}.${versionNumber % 10_000}`;
  if (versionNumber >= MIN_VERSION) return ok(version);
  return failed(version, 'Upgrade to Postgres 15 or later. This version no longer gets security fixes.');
}

export function evaluateDurability({ settings }: Pick<PostgresFacts, 'settings'>): CheckOutcome {
  const { fsync, full_page_writes, synchronous_commit } = settings;
  const text = `fsync=${fsync}, full_page_writes=${full_page_writes}, synchronous_commit=${synchronous_commit}`;
  const isDurable = fsync === 'on' && full_page_writes === 'on' && synchronous_commit !== 'off';
  if (isDurable) return ok(text);
  return failed(text, 'Set all three to on. Otherwise accepted emails can be lost if Postgres or its machine crashes.');
}

export function evaluateStandby({
  settings,
  writability,
}: Pick<PostgresFacts, 'settings' | 'writability'>): CheckOutcome {
  const { synchronous_standby_names: names, synchronous_commit: commit } = settings;
  if (names === '') return skipped('synchronous_standby_names is empty, so commits wait for no standby');
  if (writability === 'standby_lost')
    return failed(`${names}: not connected`, 'Start the standby, or remove it and reload the configuration.');
  if (commit === 'local' || commit === 'off')
    return failed(`${names}, but synchronous_commit=${commit} does not wait for it`, 'Set synchronous_commit to on.');
  return ok(`${names}: connected`);
}

export function evaluateConnections({ connections: { used, max } }: Pick<PostgresFacts, 'connections'>): CheckOutcome {
  const processes = Math.floor(max / CONNECTIONS_PER_PROCESS);
  const text = `${used} of ${max} are used; ${max} are enough for ${processes} processes`;
  if (used <= max * MAX_CONNECTIONS_SHARE && processes >= MIN_PROCESSES) return ok(text);
  return failed(
    text,
    `Set max_connections to at least ${CONNECTIONS_PER_PROCESS} per process, and some more for other clients.`,
  );
}

export function evaluateStatistics({ canReadStats }: Pick<PostgresFacts, 'canReadStats'>): CheckOutcome {
  if (canReadStats) return ok('This user can see standbys and the sessions of other users');
  return failed(
    'This user cannot see standbys, so a lost one is noticed only when a commit has waited',
    'Run as a superuser: grant pg_read_all_stats to <the user in DATABASE_URL>.',
  );
}

export function evaluateSchema({
  missing,
  unknown,
}: {
  missing: readonly string[];
  unknown: readonly string[];
}): CheckOutcome {
  if (unknown.length > 0)
    return failed(`It is newer than this command: ${unknown.join(', ')}`, 'Use the posthorn command of that version.');
  if (missing.length > 0) return failed(`Missing: ${missing.join(', ')}`, 'Run: posthorn db migrate');
  return ok('Up to date');
}

export function evaluatePartitions(end: Date, now: Date): CheckOutcome {
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  if (days >= 1) return ok(`There are partitions for the next ${days} days`);
  return failed(
    'There are no partitions for tomorrow, so old emails cannot be deleted in time',
    'Run a worker. If one runs, look for partitions_not_changed in its log.',
  );
}

async function evaluateDisk({ databaseBytes, dataDirectory }: PostgresFacts): Promise<CheckOutcome> {
  const size = `The database uses ${gigabytes(databaseBytes)}`;
  if (dataDirectory === null)
    return skipped(`${size}. To see the free space, grant pg_read_all_settings to the user in DATABASE_URL`);
  if (!existsSync(dataDirectory)) return skipped(`${size}. Its files are not on this machine, or cannot be read`);
  const { bavail, blocks, bsize } = await statfs(dataDirectory);
  const text = `${size}, and ${gigabytes(bavail * bsize)} of its disk is free`;
  if (bavail >= blocks * MIN_FREE_SHARE) return ok(text);
  return failed(text, 'Give the disk more room, or keep emails for fewer days (EMAIL_RETENTION_DAYS).');
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}

export function evaluateVacuum({
  settings,
  unvacuumedTables,
  transactionAge,
}: Pick<PostgresFacts, 'settings' | 'unvacuumedTables' | 'transactionAge'>): CheckOutcome {
  if (settings.autovacuum !== 'on') return failed('autovacuum is off', 'Set autovacuum to on.');
  if (transactionAge > MAX_TRANSACTION_AGE)
    return failed(
      `The oldest rows are ${transactionAge} transactions old; Postgres stops at 2.1 billion`,
      'Run: vacuum (freeze). End old transactions and drop unused replication slots first.',
    );
  if (unvacuumedTables.length === 0) return ok('Autovacuum keeps up');
  const tables = unvacuumedTables.map(({ name, deadRows }) => `${name} (${deadRows})`).join(', ');
  return failed(
    `Many dead rows: ${tables}`,
    'Run vacuum analyze on them, and look for transactions in pg_stat_activity that have been open for a long time.',
  );
}

export function buildReplicaCheck({ config, db }: CliContext): Check {
  const { databaseReplicaUrl: url, databasePoolMode: poolMode } = config;
  return {
    name: 'replica',
    run: async () => (url === null ? skipped('DATABASE_REPLICA_URL is not set') : checkStandby({ db }, url, poolMode)),
  };
}

async function checkStandby({ db }: Pick<CliContext, 'db'>, url: string, poolMode: PoolMode): Promise<CheckOutcome> {
  const incarnation = createIncarnation(db);
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
      describeReason(error),
      'Point DATABASE_REPLICA_URL to a standby of this primary. Until then, lists are read from the primary.',
    );
  }
}
