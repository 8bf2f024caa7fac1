import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@posthorn/testing';

/** A request that a webhook made. */
export type ReceivedRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
};

export type ReceiverServer = {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Waits until there are this many requests. @returns them */
  untilReceived(count: number): Promise<ReceivedRequest[]>;
  close(): Promise<void>;
};

/** A real HTTP server that records requests. @param respond answers a request; 200 by default */
export async function openReceiverServer(
  respond: (request: ReceivedRequest, response: ServerResponse) => void = (_request, response) =>
    void response.end('ok'),
): Promise<ReceiverServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { type, data } = JSON.parse(body);
    const { url: path = '', headers } = incoming;
    const request = { path, headers, body, id: String(headers['webhook-id']), type, data };
    requests.push(request);
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    async untilReceived(count) {
      await until(() => requests.length >= count);
      return requests;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
