import { createServer, type Server } from 'node:http';
import { type CheckHealth, healthChecker } from '@posthorn/domain';
import type { RunningWorker } from './worker.js';

type CheckedWorker = Pick<RunningWorker, 'ctx' | 'sweep'> & { readonly isStopping: () => boolean };

/**
 * Serves a worker's /healthz, /readyz and /metrics on METRICS_PORT.
 * @param isStopping whether the worker was told to stop. It is not ready then, but still reports its state
 */
export async function openHealthServer(
  { ctx, sweep }: Pick<RunningWorker, 'ctx' | 'sweep'>,
  port: number,
  isStopping: () => boolean = () => false,
): Promise<Server> {
  const worker: CheckedWorker = { ctx, sweep, isStopping };
  const checkHealth = healthChecker(ctx);
  const server = createServer(async (request, response) => {
    // While the worker stops, its connections may be closed already.
    const { status, type, body } = await reply(worker, checkHealth, request.url ?? '').catch(() =>
      json(503, { status: 'unavailable' }),
    );
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ctx.config.host, resolve);
  });
  return server;
}

type Reply = { status: number; type: string; body: string };

async function reply(worker: CheckedWorker, checkHealth: CheckHealth, path: string): Promise<Reply> {
  const { registry } = worker.ctx.metrics;
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz':
      return readiness(worker, checkHealth);
    case '/metrics':
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    default:
      return json(404, { status: 'not_found' });
  }
}

async function readiness({ ctx, sweep, isStopping }: CheckedWorker, checkHealth: CheckHealth): Promise<Reply> {
  const health = await checkHealth();
  const works = { relays: ctx.relays.areAvailable(), sweep: sweep === null || !sweep.isFailing() };
  const isReady = health.postgres.state === 'writable' && works.sweep;
  if (isStopping()) return json(503, { status: 'stopping', ...health, ...works });
  return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'unavailable', ...health, ...works });
}

function json(status: number, body: object): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
