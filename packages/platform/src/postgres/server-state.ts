import { isNativeError } from 'node:util/types';
import type { Knex } from 'knex';
import { sqlStates } from './errors.js';

export const writabilities = ['writable', 'read_only', 'standby_lost', 'unreachable'] as const;

/** Whether Postgres can store anything at the moment and, if not, why. */
export type Writability = (typeof writabilities)[number];

/**
 * Only a member of pg_read_all_stats can see which standbys are connected. For any other user, a standby counts as lost
 * once a commit has waited for it for two seconds.
 */
export const WRITABILITY = `
  select
    pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
    current_setting('synchronous_commit') not in ('off', 'local') as waits_for_standbys,
    current_setting('synchronous_standby_names') as standby_names,
    case when pg_has_role('pg_read_all_stats', 'usage') then (
      select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum')
    ) end as standbys,
    exists (
      select from pg_stat_activity where wait_event = 'SyncRep' and query_start < now() - interval '2 seconds'
    ) as is_commit_stuck`;

/** What `WRITABILITY` selects. */
type WritabilityRow = {
  readonly read_only: boolean;
  readonly waits_for_standbys: boolean;
  readonly standby_names: string;
  /** Null if our database user may not see the standbys. */
  readonly standbys: number | null;
  readonly is_commit_stuck: boolean;
};

export function toWritability(row: WritabilityRow): Exclude<Writability, 'unreachable'> {
  if (row.read_only) return 'read_only';
  const needed = row.waits_for_standbys ? countNeededStandbys(row.standby_names) : 0;
  if (needed === 0) return 'writable';
  return row.is_commit_stuck || (row.standbys ?? needed) < needed ? 'standby_lost' : 'writable';
}

/** `FIRST 2 (a, b, c)`, `ANY 2 (a, b, c)` and `2 (a, b, c)` need two of the standbys. A plain list needs one. */
function countNeededStandbys(names: string): number {
  if (names.trim() === '') return 0;
  const [, count] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(names) ?? [];
  return Number(count ?? 1);
}

const EXPLANATIONS = {
  read_only: 'This Postgres server is read-only',
  standby_lost: 'Commits on this Postgres server wait for a synchronous standby that is lost',
} as const;

/** A server that answers, but cannot store anything at the moment. */
export class NotWritableError extends Error {
  override name = 'NotWritableError';
  /** Such a server is no more useful than one that is still starting. */
  readonly code = sqlStates.cannotConnectNow;

  constructor(readonly writability: keyof typeof EXPLANATIONS) {
    super(EXPLANATIONS[writability]);
  }
}

/**
 * Why the servers that answered could not be used; null if none answered. With several hosts, each has its own error.
 */
export function findNotWritableReason(error: unknown): NotWritableError['writability'] | null {
  if (error instanceof NotWritableError) return error.writability;
  if (!isNativeError(error) || !('errors' in error) || !Array.isArray(error.errors)) return null;
  return error.errors.map(findNotWritableReason).find((writability) => writability !== null) ?? null;
}

/**
 * Whether Postgres can store anything right now. The check writes nothing, so it never waits for a lost standby.
 *
 * If the server is read-only, the pool gives up its connections. Otherwise a process that only reads would stay with a
 * standby after the address in DATABASE_URL has moved to the new primary.
 */
export async function checkWritable(db: Knex): Promise<Writability> {
  try {
    const { rows } = await db.raw(WRITABILITY);
    const writability = toWritability(rows[0]);
    if (writability === 'read_only') db.client.leaveReadOnlyServer();
    return writability;
  } catch (error) {
    return findNotWritableReason(error) ?? 'unreachable';
  }
}

/** How many sessions in our database wait for a lock now. Without pg_read_all_stats, only those of our user count. */
export async function countLockWaits(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}

/** The time on Postgres' clock, which all processes share. */
export async function readDatabaseTime(db: Knex): Promise<Date> {
  const { rows } = await db.raw('select now() as now');
  return rows[0].now;
}
