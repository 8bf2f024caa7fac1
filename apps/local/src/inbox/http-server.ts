import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { handleRequest } from './handle-request.js';
import { textResponse } from './responses.js';
import type { Inbox, RouteResponse } from './route.js';

export type HttpServer = { readonly close: () => Promise<void> };

/** Serves the pages and the JSON API of the inbox. */
export async function startHttpServer(inbox: Inbox, host: string, port: number): Promise<HttpServer> {
  const server = createServer((request, response) => {
    handleRequest(inbox, request).then(
      (result) => send(response, result),
      () => send(response, textResponse(500, 'The inbox failed to handle this request.')),
    );
  });
  await once(server.listen(port, host), 'listening');
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, headers, body }: RouteResponse): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
