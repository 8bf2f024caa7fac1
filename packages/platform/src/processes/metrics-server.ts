import { createServer, type Server } from 'node:http';
import type { Readiness } from '@posthorn/platform/health';
import type { Registry } from 'prom-client';

export type MetricsPages = {
  readonly registry: Registry;
  readReadiness(): Promise<Readiness>;
};

type Reply = { readonly status: number; readonly type: string; readonly body: string };

/** Serves /healthz, /readyz and /metrics on a port that only operators can reach. Throws if the port is taken. */
export async function openMetricsServer(address: { host: string; port: number }, pages: MetricsPages): Promise<Server> {
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
