import { readReportBacklog } from '@posthorn/domain/bounces';
import { countJobs } from '@posthorn/domain/delivery';
import { readBacklog } from '@posthorn/domain/emails';
import { readWebhookLag } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { addReadGauge, createSharedRead, registerPostgresAndRedisMetrics } from '@posthorn/platform/metrics';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { countBySite, findOldestByKind, readHeldBack } from './held-back-store.js';

/** A registry with the metrics that every process exposes. Each process adds its own. */
export function createRegistry(ctx: Pick<Context, 'db' | 'redis'>): Registry {
  const registry = Registry.merge([processMetrics()]);
  registerPostgresAndRedisMetrics(registry, ctx);
  registerServiceMetrics(registry, ctx);
  registerHeldBackMetrics(registry, ctx);
  return registry;
}

let collected: Registry | undefined;

/** Memory, event loop, garbage collection. Measuring them takes timers and observers that run until Node exits. */
function processMetrics(): Registry {
  if (collected === undefined) {
    collected = new Registry();
    collectDefaultMetrics({ register: collected });
  }
  return collected;
}

/** Reading takes a few index lookups per workspace with waiting emails, so frequent scrapes share one read. */
const CACHED_MS = 5_000;

/** Adds the gauges that describe the whole service. Every process exposes them, so that any one of them is enough. */
function registerServiceMetrics(registry: Registry, { db, redis }: Pick<Context, 'db' | 'redis'>): void {
  const backlog = createSharedRead(() => readBacklog(db), CACHED_MS);
  const reports = createSharedRead(() => readReportBacklog(db), CACHED_MS);
  const webhookLag = createSharedRead(() => readWebhookLag(db), CACHED_MS);
  const jobs = createSharedRead(() => countJobs(redis), CACHED_MS);
  addReadGauge(
    registry,
    { name: 'posthorn_oldest_due_seconds', help: 'How long the oldest due email has waited for a worker' },
    async () => (await backlog())?.oldestDueSeconds ?? null,
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_emails',
      help: 'Unfinished emails by status; counting stops at 10,000 each of due, due later, being sent and parked',
      label: 'status',
    },
    async () => (await backlog())?.emails ?? null,
  );
  addReadGauge(
    registry,
    { name: 'posthorn_delivery_jobs', help: 'Delivery jobs in Redis, by state', label: 'state' },
    async () => {
      // BullMQ would wait for the connection.
      if (redis.status !== 'ready') return null;
      const counts = await jobs();
      return counts && { waiting: counts.waiting, active: counts.active };
    },
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_webhook_lag_seconds',
      help: 'Age of the oldest event that waits for its first request to a webhook, leaving out paused and unconfirmed webhooks',
    },
    webhookLag,
  );
  addReadGauge(
    registry,
    { name: 'posthorn_reports_waiting', help: 'Bounces and complaints that wait to be processed, up to 10,000' },
    async () => (await reports())?.waiting ?? null,
  );
  addReadGauge(
    registry,
    { name: 'posthorn_oldest_report_seconds', help: 'How long the oldest of these reports has been due' },
    async () => (await reports())?.oldestSeconds ?? null,
  );
}

/** Adds the gauges about emails that wait for a limit or a route. */
function registerHeldBackMetrics(registry: Registry, { db }: Pick<Context, 'db'>): void {
  const heldBack = createSharedRead(() => readHeldBack(db), CACHED_MS);
  addReadGauge(
    registry,
    {
      name: 'posthorn_held_back_oldest_seconds',
      help: 'How long the oldest email has waited for a limit or a route, by what it waits for',
      label: 'reason',
    },
    async () => findOldestByKind((await heldBack()) ?? []),
  );
  addReadGauge(
    registry,
    {
      name: 'posthorn_site_waiting',
      help: 'Emails that wait for a site of direct delivery, up to 1,000 each; the 50 sites with the most, and other',
      label: 'site',
    },
    async () => countBySite((await heldBack()) ?? []),
  );
}
