import { route } from '../route.js';

export const healthRoutes = [
  route({
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

  route({
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    access: 'public',
    summary: 'Readiness: whether Postgres can be written to, Redis is reachable, and the process is not stopping',
    alsoResponds: 503,
    rateLimit: 'none',
    async handle(ctx) {
      const { postgres, redis } = await ctx.checkHealth();
      if (ctx.shutdown.hasBegun()) return { status: 503, body: { status: 'stopping', postgres, redis } };
      // Without Redis, emails are accepted, unless REDIS_DOWN_MODE is set to refuse.
      const worksWithRedis = redis.reachable || ctx.config.redisDownMode === 'accept';
      const isReady = postgres.state === 'writable' && worksWithRedis;
      return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'unavailable', postgres, redis } };
    },
  }),

  route({
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    access: 'public',
    summary: 'Metrics of this process for Prometheus',
    contentType: 'text/plain',
    async handle(ctx) {
      const { contentType, readText } = ctx.metrics;
      return { status: 200, body: await readText(), headers: { 'Content-Type': contentType } };
    },
  }),
];
