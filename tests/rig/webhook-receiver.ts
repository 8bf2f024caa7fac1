import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real HTTP server that receives events and remembers them outside the service. */
export type WebhookReceiver = {
  readonly url: string;
  /** The bodies that arrived for each `webhook-id`. */
  readonly bodies: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
};

/** @param delayMs how long it takes to answer, so that a worker that is killed has requests in flight */
export async function startWebhookReceiver(delayMs: () => number): Promise<WebhookReceiver> {
  const bodies = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The worker was killed while it sent the body.
      return;
    }
    const id = String(request.headers['webhook-id']);
    bodies.set(id, [...(bodies.get(id) ?? []), Buffer.concat(chunks).toString()]);
    await sleep(delayMs());
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    bodies,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
