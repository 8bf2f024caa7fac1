import { Counter, type Registry } from 'prom-client';
import type { Context } from '../context.js';

/** Adds the counter of reads that a replica could take. It stays empty without DATABASE_REPLICA_URL. */
export function registerReplicaMetrics(registry: Registry, { replica }: Pick<Context, 'replica'>): void {
  new Counter({
    name: 'posthorn_replica_reads_total',
    help: 'Reads of lists and exports by where they went: replica, or the primary because the replica was behind or unusable',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, reads] of Object.entries(replica?.reads ?? {})) this.inc({ outcome }, reads);
    },
  });
}
