import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { answerRequest } from './answer-request.js';
import { textAnswer } from './answers.js';
import type { Answer, Inbox } from './route.js';

export type PageServer = { readonly close: () => Promise<void> };

/** Serves the pages and the JSON of the inbox over plain HTTP. */
export async function listenForBrowsers(inbox: Inbox, host: string, port: number): Promise<PageServer> {
  const server = createServer((request, response) => {
    answerRequest(inbox, request).then(
      (answer) => send(response, answer),
      () => send(response, textAnswer(500, 'The inbox could not answer this request.')),
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

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
