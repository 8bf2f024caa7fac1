import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { cachedRead } from '../cached-read.js';
import type { Context } from '../context.js';
import { type Backlog, readBacklog } from './backlog-store.js';

/**
 * Reading the backlog takes a few index lookups per workspace with waiting emails, so frequent scrapes share one read.
 */
const CACHED_MS = 5_000;
/** If Postgres hangs, the other metrics must not wait for it. */
const MAX_WAIT_MS = 3_000;

/** Adds the gauges for the backlog, which every process exposes. They are left out while Postgres cannot be read. */
export function registerBacklogMetrics(registry: Registry, { db }: Pick<Context, 'db'>): void {
  const readCached = cachedRead(() => readBacklog(db), CACHED_MS);
  const read = (): Promise<Backlog | null> =>
    Promise.race([readCached().catch(() => null), sleep(MAX_WAIT_MS, null, { ref: false })]);
  new Gauge({
    name: 'posthorn_oldest_due_seconds',
    help: 'How long the oldest due email has waited for a worker',
    registers: [registry],
    async collect() {
      const backlog = await read();
      this.remove();
      if (backlog) this.set(backlog.oldestDueSeconds);
    },
  });
  new Gauge({
    name: 'posthorn_emails',
    help: 'Unfinished emails by status; counting stops at 10,000 due, 10,000 due later and 10,000 being sent',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const backlog = await read();
      this.reset();
      for (const [status, emails] of Object.entries(backlog?.emails ?? {})) this.set({ status }, emails);
    },
  });
}
