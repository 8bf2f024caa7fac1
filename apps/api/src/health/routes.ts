import { readBacklog, readRedisHealth } from '@posthorn/domain';
import type { ApiContext } from '../context.js';
import { route } from '../route.js';

export const healthRoutes = [
  route({
    method: 'get',
    path: '/healthz',
    access: 'public',
    summary: 'Liveness: the process is running',
    async handle() {
      return { status: 200, body: { status: 'ok' } };
    },
  }),

  route({
    method: 'get',
    path: '/readyz',
    access: 'public',
    summary: 'Readiness: whether Postgres and Redis are reachable, and how much email is waiting',
    async handle(ctx) {
      const [postgres, redis] = await Promise.all([readPostgresHealth(ctx), readRedisHealth(ctx.redis)]);
      // Without Postgres no email is accepted. Without Redis it is, unless REDIS_DOWN_MODE is set to refuse.
      const status = postgres.reachable && (redis.reachable || ctx.config.redisDownMode === 'accept') ? 200 : 503;
      return { status, body: { status: status === 200 ? 'ready' : 'unavailable', postgres, redis } };
    },
  }),

  route({
    method: 'get',
    path: '/metrics',
    access: 'public',
    summary: 'Metrics of this process for Prometheus',
    async handle(ctx) {
      const { registry } = ctx.metrics;
      return { status: 200, body: await registry.metrics(), headers: { 'Content-Type': registry.contentType } };
    },
  }),
];

async function readPostgresHealth(
  ctx: ApiContext,
): Promise<{ reachable: boolean; waiting?: number; oldest_due_seconds?: number }> {
  try {
    const { waiting, oldestDueSeconds } = await readBacklog(ctx.db);
    return { reachable: true, waiting, oldest_due_seconds: oldestDueSeconds };
  } catch {
    return { reachable: false };
  }
}
