import type { Context } from '@posthorn/platform';
import { countLockWaits, type Db, writabilities } from '@posthorn/platform/postgres';
import type { Registry } from 'prom-client';
import { checkHealth } from './health.js';
import { addReadCounter, addReadGauge, createSharedRead } from './read-at-scrape.js';

const CACHED_MS = 1_000;

/** Adds the gauges for Postgres and Redis as this process sees them. */
export function registerPostgresAndRedisMetrics(registry: Registry, ctx: Pick<Context, 'db' | 'redis'>): void {
  const health = createSharedRead(() => checkHealth(ctx), 0);
  const lockWaits = createSharedRead(() => countLockWaits(ctx.db), CACHED_MS);
  // A scrape starts the reads in this order. This one is first, so that it does not count those that wait for the others.
  addReadGauge(
    registry,
    {
      name: 'posthorn_postgres_connections',
      help: 'Postgres connections of this process (used, idle), and what waits for one (waiting)',
      label: 'state',
    },
    () => readPool(ctx.db),
  );
  addReadGauge(
    registry,
    { name: 'posthorn_postgres_state', help: '1 for the state that Postgres is in, 0 for the others', label: 'state' },
    async () => {
      const state = (await health())?.postgres.state ?? 'unreachable';
      return Object.fromEntries(writabilities.map((each) => [each, Number(each === state)]));
    },
  );
  addReadGauge(
    registry,
    { name: 'posthorn_postgres_lock_waits', help: 'Sessions in the database that wait for a lock now' },
    lockWaits,
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_redis_state',
      help: 'Whether Redis is reachable, has reached its memory limit (full), and may drop keys (evicts)',
      label: 'condition',
    },
    async () => {
      const redis = (await health())?.redis ?? { reachable: false };
      return { reachable: Number(redis.reachable), full: Number(redis.full ?? 0), evicts: Number(redis.evicts ?? 0) };
    },
  );
}

/** knex does not export the type of its pool (tarn). */
type Pool = { numUsed(): number; numFree(): number; numPendingAcquires(): number };

function readPool({ client }: Db): Record<string, number> {
  const pool = client.pool as Pool;
  return { used: pool.numUsed(), idle: pool.numFree(), waiting: pool.numPendingAcquires() };
}

/** Adds the counter of reads that a replica could take. It stays empty without DATABASE_REPLICA_URL. */
export function registerReplicaMetrics(registry: Registry, { replica }: Pick<Context, 'replica'>): void {
  addReadCounter(
    registry,
    {
      name: 'posthorn_replica_reads_total',
      help: 'Reads of lists and exports by where they went: replica, or the primary because the replica was behind or unusable',
      labels: ['outcome'],
    },
    () => Object.entries(replica?.reads ?? {}).map(([outcome, reads]) => [{ outcome }, reads]),
  );
}
