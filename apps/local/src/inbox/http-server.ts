import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import sirv from 'sirv';
import { type Inbox, inboxApi } from './inbox-api.js';
import { findMessage, type Mailbox } from './mailbox.js';

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

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Protects against DNS rebinding: a site can resolve its own name to 127.0.0.1 and read the inbox through a visitor's
 * browser, but the Host header then contains the site's name. Any port is accepted, because ours may be forwarded.
 */
function isLocalHost({ host }: IncomingHttpHeaders): boolean {
  return LOCAL_HOST.test(host ?? '');
}

/**
 * Whether a page from another origin made this request. Clients that send neither Sec-Fetch-Site nor Origin are not
 * browsers.
 */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return !OWN_SITE.has(String(site));
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

/**
 * The inbox's pages, which apps/dashboard builds. The relative path is the same from this app's sources as from its
 * build.
 */
const FOLDER = join(import.meta.dirname, '../../../dashboard/dist-inbox');
const DOCUMENT = 'inbox.html';

/** Scripts, styles and images. */
function viewerFiles(): RequestHandler {
  const serveFile = sirv(FOLDER, { etag: true, extensions: [] });
  return (request, response, next) => {
    if (request.method !== 'GET' || request.path === `/${DOCUMENT}`) next();
    else serveFile(request, response, next);
  };
}

/** `/` shows the list and `/messages/{id}` a message. Both return the same document, whose script reads the path. */
function viewerPages(mailbox: Mailbox): Router {
  const path = join(FOLDER, DOCUMENT);
  const page = existsSync(path) ? readFileSync(path) : null;
  const sendPage = (status: number): RequestHandler => {
    return (_request, response) => {
      if (page !== null) response.status(status).type('html').set('Cache-Control', 'no-store').send(page);
      else response.status(503).type('text').send('The dashboard is not built. Run npm run build.\n');
    };
  };
  const pages = Router();
  pages.get('/', securityHeaders, sendPage(200));
  pages.get('/messages/:id', securityHeaders, (request, response, next) => {
    const status = findMessage(mailbox, request.params.id) ? 200 : 404;
    sendPage(status)(request, response, next);
  });
  return pages;
}

/**
 * The pages run only their own scripts. Inline styles are allowed because their components use them. Remote images
 * are allowed because the reader of a message can choose to load them.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:', 'https:'],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  strictTransportSecurity: false,
});
