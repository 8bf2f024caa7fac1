import type { Context } from '@posthorn/platform';
import { registerPostgresAndRedisMetrics } from '@posthorn/platform/metrics';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { registerServiceMetrics } from './service-metrics.js';

/** A registry with the metrics that every process exposes. Each process adds its own. */
export function openRegistry(ctx: Pick<Context, 'db' | 'redis'>): Registry {
  const registry = Registry.merge([processMetrics()]);
  registerPostgresAndRedisMetrics(registry, ctx);
  registerServiceMetrics(registry, ctx);
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
