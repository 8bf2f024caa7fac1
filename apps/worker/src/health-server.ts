import type { Server } from 'node:http';
import { type CheckHealth, healthChecker, openAdminServer, type Readiness } from '@posthorn/domain';
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
  const checkHealth = healthChecker(ctx);
  return openAdminServer(
    { host: ctx.config.host, port },
    {
      registry: ctx.metrics.registry,
      readReadiness: () => readReadiness({ ctx, sweep, isStopping }, checkHealth),
    },
  );
}

async function readReadiness({ ctx, sweep, isStopping }: CheckedWorker, checkHealth: CheckHealth): Promise<Readiness> {
  const health = await checkHealth();
  const works = { relays: ctx.relays.areAvailable(), sweep: sweep === null || !sweep.isFailing() };
  const isReady = health.postgres.state === 'writable' && works.sweep;
  if (isStopping()) return { status: 503, body: { status: 'stopping', ...health, ...works } };
  return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'unavailable', ...health, ...works } };
}
