import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCrossSite } from '@posthorn/platform/network';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import sirv from 'sirv';
import { allowOnlySources, createInboxApi, type Inbox } from './inbox-api.js';
import { findMessage } from './mailbox.js';

/** Serves the pages and the JSON API of the inbox. @returns a function that closes the server */
export async function startHttpServer(inbox: Inbox, host: string, port: number): Promise<() => Promise<void>> {
  const server = createInboxApp(inbox).listen(port, host);
  await once(server, 'listening');
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

function createInboxApp(inbox: Inbox): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(onlyLocal, noCrossSiteChanges);
  app.use('/api/v1', createInboxApi(inbox));
  app.use(serveFiles());
  const sendPage = buildPageSender();
  // Both paths return the same document, whose script reads the path.
  app.get('/', pagePolicy, (_request, response) => sendPage(response, 200));
  app.get('/messages/:id', pagePolicy, ({ params }, response) =>
    sendPage(response, findMessage(inbox.mailbox, String(params.id)) ? 200 : 404),
  );
  app.use((_request, response) => void response.status(404).type('text').send('Not found.\n'));
  app.use(answerError);
  return app;
}

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Protects against DNS rebinding: a site can resolve its own name to 127.0.0.1 and read the inbox through a visitor's
 * browser, but the Host header then contains the site's name. Any port is accepted, because ours may be forwarded.
 */
const onlyLocal: RequestHandler = ({ headers }, response, next) => {
  if (LOCAL_HOST.test(headers.host ?? '')) next();
  else response.status(403).type('text').send('The inbox only accepts requests for localhost and 127.0.0.1.\n');
};

const noCrossSiteChanges: RequestHandler = ({ method, headers }, response, next) => {
  if (method === 'GET' || method === 'HEAD' || !isCrossSite(headers, [`http://${headers.host}`])) next();
  else response.status(403).type('text').send('Cross-site requests are not allowed.\n');
};

/** Express recognizes an error handler by its four parameters. */
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error.status >= 400 && error.status < 500 ? error.status : 500;
  const text = status === 500 ? 'The inbox could not handle this request.' : String(error.message);
  response.status(status).type('text').send(`${text}\n`);
};

/**
 * The inbox's pages, which apps/dashboard builds. The relative path is the same from this app's sources as from its
 * build.
 */
const FOLDER = join(import.meta.dirname, '../../../dashboard/dist-inbox');
const DOCUMENT = 'inbox.html';

function serveFiles(): RequestHandler {
  const serveFile = sirv(FOLDER, { etag: true, extensions: [] });
  return (request, response, next) => {
    if (request.method !== 'GET' || request.path === `/${DOCUMENT}`) next();
    else serveFile(request, response, next);
  };
}

function buildPageSender(): (response: express.Response, status: number) => void {
  const path = join(FOLDER, DOCUMENT);
  const page = existsSync(path) ? readFileSync(path) : null;
  return (response, status) => {
    if (page !== null) response.status(status).type('html').set('Cache-Control', 'no-store').send(page);
    else response.status(503).type('text').send('The dashboard is not built. Run npm run build.\n');
  };
}

/**
 * The pages run only their own scripts. Inline styles are allowed because their components use them. Remote images
 * are allowed because the reader of a message can choose to load them.
 */
const pagePolicy = allowOnlySources({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});
