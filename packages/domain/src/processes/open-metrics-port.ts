import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import type { Context } from '../context.js';
import { healthChecker } from '../health/check-health.js';
import { openAdminServer } from './admin-server.js';

/** @property needsPostgres whether the process is of no use while Postgres cannot be written to */
type Observed = { readonly registry: Registry; readonly port: number | null; readonly needsPostgres: boolean };

/** The port for the probes and metrics of a listener. */
export type MetricsPort = {
  /** From now on, the process is not ready. */
  beginStopping(): void;
  close(): void;
};

/** Serves the probes and metrics of a listener. If `port` is null, no port is opened. */
export async function openMetricsPort(
  ctx: Pick<Context, 'config' | 'db' | 'redis'>,
  { registry, port, needsPostgres }: Observed,
): Promise<MetricsPort> {
  const checkHealth = healthChecker(ctx);
  let isStopping = false;

  async function readReadiness() {
    const health = await checkHealth();
    if (isStopping) return { status: 503 as const, body: { status: 'stopping', ...health } };
    const isReady = !needsPostgres || health.postgres.state === 'writable';
    if (!isReady) return { status: 503 as const, body: { status: 'unavailable', ...health } };
    return { status: 200 as const, body: { status: 'ready', ...health } };
  }

  let server: Server | null = null;
  if (port !== null) server = await openAdminServer({ host: ctx.config.host, port }, { registry, readReadiness });
  return {
    beginStopping() {
      isStopping = true;
    },
    close: () => void server?.close(),
  };
}
