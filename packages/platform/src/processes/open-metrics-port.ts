import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '@posthorn/platform';
import { type Assess, checkHealth, toReadiness } from '@posthorn/platform/health';
import type { Registry } from 'prom-client';
import { openMetricsServer } from './metrics-server.js';

type MetricsPortOptions = { readonly registry: Registry; readonly port: number | null; readonly assess: Assess };

/** The port for the probes and metrics of a process. */
export type MetricsPort = {
  /** null if no port was opened. */
  readonly port: number | null;
  /** From now on, the process is not ready. */
  beginStopping(): void;
  close(): void;
};

/** Serves /healthz, /readyz and /metrics. If `port` is null, no port is opened. */
export async function openMetricsPort(
  ctx: Pick<Context, 'config' | 'db' | 'redis'>,
  { registry, port, assess }: MetricsPortOptions,
): Promise<MetricsPort> {
  let isStopping = false;
  const readReadiness = async () => toReadiness(assess(await checkHealth(ctx)), isStopping);
  let server: Server | null = null;
  if (port !== null) server = await openMetricsServer({ host: ctx.config.host, port }, { registry, readReadiness });
  return {
    port: server && (server.address() as AddressInfo).port,
    beginStopping() {
      isStopping = true;
    },
    close: () => void server?.close(),
  };
}
