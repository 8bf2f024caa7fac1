import { Refusal } from '@posthorn/domain/errors';
import { type Assess, checkHealth, toReadiness } from '@posthorn/platform/metrics';
import type { ApiContext } from '../context/api-context.js';
import { defineRoute } from '../routing/route.js';

export const healthRoutes = [
  defineRoute({
    operationId: 'getLiveness',
    method: 'get',
    path: '/healthz',
    access: 'public',
    summary: 'Liveness: the process is running',
    rateLimit: 'none',
    async handle() {
      return { status: 200, body: { status: 'ok' } };
    },
  }),

  defineRoute({
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    access: 'public',
    summary: 'Readiness: whether Postgres can be written to, Redis is reachable, and the process is not stopping',
    alsoResponds: [503],
    problems: ['not_found'],
    rateLimit: 'none',
    async handle(ctx) {
      assertPublic(ctx);
      return toReadiness(assessApi(ctx)(await checkHealth(ctx)), ctx.server.isStopping);
    },
  }),

  defineRoute({
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    access: 'public',
    summary: 'Metrics of this process for Prometheus',
    contentType: 'text/plain',
    problems: ['not_found'],
    async handle(ctx) {
      assertPublic(ctx);
      const { contentType, readText } = ctx.metrics;
      return { status: 200, body: await readText(), headers: { 'Content-Type': contentType } };
    },
  }),
];

/** With API_METRICS_PORT, only that port serves what concerns operators. */
function assertPublic({ config }: Pick<ApiContext, 'config'>): void {
  if (config.apiMetricsPort !== null) throw new Refusal('not_found', { what: 'path' });
}

/** An API process is ready while it can write to Postgres and, with `REDIS_DOWN_MODE=refuse`, reach Redis. */
export function assessApi({ config }: Pick<ApiContext, 'config'>): Assess {
  return (health) => {
    const worksWithRedis = health.redis.reachable || config.redisDownMode === 'accept';
    return { isReady: health.postgres.state === 'writable' && worksWithRedis, facts: health };
  };
}
