import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export type TestReceiver = {
  readonly port: number;
  readonly connections: number;
  readonly requests: ReadonlyArray<{ headers: IncomingMessage['headers']; body: string }>;
  /** How many connections have been closed. */
  readonly disconnections: number;
  /** Replaces how the server answers. */
  answer(listener: RequestListener): void;
  close(): Promise<void>;
};

type Options = { readonly address?: string; readonly port?: number; readonly tls?: ServerOptions };

/** Starts an HTTP server on a loopback address. It records requests after their bodies have arrived. */
export async function startReceiver({ address = '127.0.0.1', port = 0, tls }: Options = {}): Promise<TestReceiver> {
  let listener: RequestListener = (_, response) => response.end();
  let connections = 0;
  let disconnections = 0;
  const requests: Array<{ headers: IncomingMessage['headers']; body: string }> = [];
  const server: Server = tls ? createHttpsServer(tls) : createServer();
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    listener(request, response);
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => {
      disconnections += 1;
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    requests,
    get disconnections() {
      return disconnections;
    },
    answer(next) {
      listener = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts a server that can answer with anything. @param respond called with each connection on which a request arrives */
export async function startRawServer(respond: (socket: Socket) => void): Promise<{ url: string; close(): void }> {
  const raw = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  }).listen(0, '127.0.0.1');
  await once(raw, 'listening');
  return { url: `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`, close: () => void raw.close() };
}
