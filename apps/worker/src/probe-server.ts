import { createServer, type Server } from 'node:http';
import { checkWritable, readBacklog, readRedisHealth } from '@posthorn/domain';
import type { WorkerContext } from './context.js';

/** Serves a worker's /healthz, /readyz and /metrics on METRICS_PORT. */
export async function listenForProbes(ctx: WorkerContext, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { status, type, body } = await probe(ctx, request.url ?? '');
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ctx.config.host, resolve);
  });
  return server;
}

type Probe = { status: number; type: string; body: string };

async function probe(ctx: WorkerContext, path: string): Promise<Probe> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz':
      return readiness(ctx);
    case '/metrics':
      return { status: 200, type: ctx.metrics.registry.contentType, body: await ctx.metrics.registry.metrics() };
    default:
      return json(404, { status: 'not_found' });
  }
}

async function readiness(ctx: WorkerContext): Promise<Probe> {
  const redis = await readRedisHealth(ctx.redis);
  const relays = ctx.relays.areAvailable();
  const [state, backlog] = await Promise.all([checkWritable(ctx.db), readBacklog(ctx.db).catch(() => null)]);
  const isReady = state === 'writable';
  return json(isReady ? 200 : 503, {
    status: isReady ? 'ready' : 'unavailable',
    postgres: { state },
    redis,
    relays,
    ...(backlog && { waiting: backlog.waiting, oldest_due_seconds: backlog.oldestDueSeconds }),
  });
}

function json(status: number, body: object): Probe {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
