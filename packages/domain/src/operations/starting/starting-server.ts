import { once } from 'node:events';
import { createServer } from 'node:http';

/** Why a process does not serve yet. `preparing`: it finds out whether the database was restored, and parks emails if so. */
export type StartingStatus = 'waiting_for_database' | 'migrating' | 'waiting_for_migration' | 'preparing';

export type StartingServer = { close(): Promise<void> };

/**
 * Answers the health checks of a process that is still waiting: it is alive, but not ready. Every other request gets a 503.
 * Without it, a supervisor that checks /healthz would kill a process that is migrating.
 */
export async function openStartingServer(
  { host, port }: { readonly host: string; readonly port: number },
  readStatus: () => StartingStatus,
): Promise<StartingServer> {
  const server = createServer((request, response) => {
    const isAlive = request.url?.split('?')[0] === '/healthz';
    const body = JSON.stringify({ status: isAlive ? 'ok' : readStatus() });
    // The connection must not outlive this server, because the next one listens on the same port.
    response
      .writeHead(isAlive ? 200 : 503, { 'Content-Type': 'application/json', 'Retry-After': '5', Connection: 'close' })
      .end(body);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}
