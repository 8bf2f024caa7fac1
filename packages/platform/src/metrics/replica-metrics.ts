import type { Context } from '@posthorn/platform';
import type { Registry } from 'prom-client';
import { addReadCounter } from './read-at-scrape.js';

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
