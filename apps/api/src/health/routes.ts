import { checkWritable, readBacklog, readRedisHealth, type Writability } from '@posthorn/domain';
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
    summary: 'Readiness: whether Postgres can be written to, whether Redis is reachable, and how much email is waiting',
    async handle(ctx) {
      const [postgres, redis] = await Promise.all([readPostgresHealth(ctx), readRedisHealth(ctx.redis)]);
      // Without a Postgres that can be written to, no email is accepted. Without Redis it is, unless REDIS_DOWN_MODE is set to refuse.
      const status =
        postgres.state === 'writable' && (redis.reachable || ctx.config.redisDownMode === 'accept') ? 200 : 503;
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
): Promise<{ state: Writability; waiting?: number; oldest_due_seconds?: number }> {
  const [state, backlog] = await Promise.all([checkWritable(ctx.db), readBacklog(ctx.db).catch(() => null)]);
  return { state, ...(backlog && { waiting: backlog.waiting, oldest_due_seconds: backlog.oldestDueSeconds }) };
}
