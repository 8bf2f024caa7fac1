import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../app.js';
import type { ApiContext } from '../context.js';
import { dispatcher } from './dispatcher.js';
import { httpClassesOf } from './http-classes.js';
import { refuseInvalidHttp } from './refuse-invalid-http.js';

const CLOSE_IDLE_EVERY_MS = 50;

/** Time limits for clients. Node's defaults are 1 minute for headers, 5 for a request and none for a response. */
export const httpTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  /** How long a connection may be silent in both directions, such as when the client does not read its response. */
  idleMs: 60_000,
  checkEveryMs: 5_000,
} as const;

/** Starts the HTTP server. Slow clients are disconnected after `httpTimeouts`. */
export async function listen(
  ctx: ApiContext,
  { headersMs, requestMs, keepAliveMs, idleMs, checkEveryMs }: Record<keyof typeof httpTimeouts, number> = httpTimeouts,
): Promise<{ server: Server; url: string }> {
  const app = createApp(ctx);
  const dispatch = dispatcher(ctx, app);
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: 16_384,
      ...httpClassesOf(app),
    },
    dispatch,
  );
  server.timeout = idleMs;
  // By default Node silently drops headers after the first thousand. Their size is limited anyway.
  server.maxHeadersCount = 0;
  // An unknown Expect header can be ignored (RFC 9110, 10.1.1). Node itself would refuse it, without a request id.
  server.on('checkExpectation', dispatch);
  refuseInvalidHttp(server, `${ctx.config.publicUrl}/docs`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(ctx.config.port, ctx.config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://${ctx.config.host}:${port}` };
}

/** Stops accepting connections and lets running requests finish, for at most `graceMs`. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection becomes idle only after its response is sent, so this repeats until all are closed.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const forceClose = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(forceClose);
  clearInterval(closeIdle);
}
