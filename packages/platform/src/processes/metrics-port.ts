import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '@posthorn/platform';
import { type Assess, checkHealth, type Readiness, toReadiness } from '@posthorn/platform/metrics';
import type { Registry } from 'prom-client';

type MetricsPortOptions = { readonly registry: Registry; readonly port: number | null; readonly assess: Assess };

/** The port for the probes and metrics of a process. */
export type MetricsPort = {
  readonly port: number | null;
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

type MetricsPages = {
  readonly registry: Registry;
  readReadiness(): Promise<Readiness>;
};

type Reply = { readonly status: number; readonly type: string; readonly body: string };

/** Serves /healthz, /readyz and /metrics on a port that only operators can reach. Throws if the port is taken. */
async function openMetricsServer(address: { host: string; port: number }, pages: MetricsPages): Promise<Server> {
  const server = createServer(async (request, response) => {
    // While the process stops, its connections may be closed already.
    const { status, type, body } = await replyTo(request.url ?? '', pages).catch(() =>
      json(503, { status: 'unavailable' }),
    );
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}

async function replyTo(path: string, { registry, readReadiness }: MetricsPages): Promise<Reply> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz': {
      const { status, body } = await readReadiness();
      return json(status, body);
    }
    case '/metrics':
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    default:
      return json(404, { status: 'not_found' });
  }
}

function json(status: number, body: object): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
