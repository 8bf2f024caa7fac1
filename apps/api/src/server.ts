import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import type { ApiContext } from './context.js';
import { dispatcher } from './dispatch.js';
import { httpClassesOf } from './http-classes.js';
import { refuseInvalidHttp } from './refuse-invalid-http.js';

const CLOSE_IDLE_MS = 50;

/** How long a client may take: Node's own defaults are a minute for headers, five for a body and for ever for an answer. */
export const httpTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  /** Nothing moves, neither in nor out: the client does not read its answer. */
  silenceMs: 60_000,
  checkEveryMs: 5_000,
} as const;

/** An HTTP server that no slow client can hold. */
export async function listen(
  ctx: ApiContext,
  {
    headersMs,
    requestMs,
    keepAliveMs,
    silenceMs,
    checkEveryMs,
  }: Record<keyof typeof httpTimeouts, number> = httpTimeouts,
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
  server.timeout = silenceMs;
  // Node would drop the headers after the first thousand without a word; their size is limited anyway.
  server.maxHeadersCount = 0;
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1); Node would answer without a request id.
  server.on('checkExpectation', dispatch);
  refuseInvalidHttp(server, `${ctx.config.publicUrl}/docs`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(ctx.config.port, ctx.config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://${ctx.config.host}:${port}` };
}

/** Lets requests in hand finish, for at most `graceMs`, and takes no new ones. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection falls idle only once its answer is out.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
  clearInterval(closeIdle);
}
