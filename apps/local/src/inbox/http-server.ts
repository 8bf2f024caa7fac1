import { once } from 'node:events';
import { createServer } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { type Inbox, inboxApi } from './inbox-api.js';
import { isCrossSite, isLocalHost } from './local-requests.js';
import { viewerFiles, viewerPages } from './viewer.js';

export type HttpServer = { readonly close: () => Promise<void> };

/** Serves the pages and the JSON API of the inbox. */
export async function startHttpServer(inbox: Inbox, host: string, port: number): Promise<HttpServer> {
  const server = createServer(inboxApp(inbox));
  await once(server.listen(port, host), 'listening');
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function inboxApp(inbox: Inbox): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(onlyLocal, noCrossSiteChanges);
  app.use('/api/v1', inboxApi(inbox));
  app.use(viewerFiles(), viewerPages(inbox.mailbox));
  app.use(((_request, response) => {
    response.status(404).type('text').send('Not found.\n');
  }) satisfies RequestHandler);
  app.use(answerError);
  return app;
}

/** Prevents DNS rebinding. */
const onlyLocal: RequestHandler = ({ headers }, response, next) => {
  if (isLocalHost(headers)) next();
  else response.status(403).type('text').send('The inbox only accepts requests for localhost and 127.0.0.1.\n');
};

const noCrossSiteChanges: RequestHandler = ({ method, headers }, response, next) => {
  if (method === 'GET' || method === 'HEAD' || !isCrossSite(headers)) next();
  else response.status(403).type('text').send('Cross-site requests are not allowed.\n');
};

/** Express recognizes an error handler by its four parameters. */
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error.status >= 400 && error.status < 500 ? error.status : 500;
  const text = status === 500 ? 'The inbox could not handle this request.' : String(error.message);
  response.status(status).type('text').send(`${text}\n`);
};
