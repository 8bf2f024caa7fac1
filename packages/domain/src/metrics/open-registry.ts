import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Context } from '../context.js';
import { registerPostgresAndRedisMetrics } from './postgres-and-redis-metrics.js';
import { registerServiceMetrics } from './service-metrics.js';

/** A registry with the metrics that every process exposes. Each process adds its own. */
export function openRegistry(ctx: Pick<Context, 'db' | 'redis'>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerPostgresAndRedisMetrics(registry, ctx);
  registerServiceMetrics(registry, ctx);
  return registry;
}
