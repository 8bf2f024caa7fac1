import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import type { ApiContext } from './context.js';
import { refuseGarbage } from './refuse-garbage.js';

const CLOSE_IDLE_MS = 50;

/**
 * An HTTP server that no slow client can hold: Node's own defaults wait a minute for headers and
 * five for a body, and look only twice a minute.
 */
export async function listen(ctx: ApiContext): Promise<{ server: Server; url: string }> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
    },
    createApp(ctx),
  );
  refuseGarbage(server, `${ctx.config.publicUrl}/docs`);
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
