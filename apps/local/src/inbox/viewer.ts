import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import sirv from 'sirv';
import { findMessage, type Mailbox } from './mailbox.js';

/**
 * The inbox's pages, which apps/dashboard builds. The relative path is the same from this app's sources as from its
 * build.
 */
const FOLDER = join(import.meta.dirname, '../../../dashboard/dist-inbox');
const DOCUMENT = 'inbox.html';

/** Scripts, styles and images. */
export function viewerFiles(): RequestHandler {
  const serveFile = sirv(FOLDER, { etag: true, extensions: [] });
  return (request, response, next) => {
    if (request.method !== 'GET' || request.path === `/${DOCUMENT}`) next();
    else serveFile(request, response, next);
  };
}

/** `/` shows the list and `/messages/{id}` a message. Both return the same document, whose script reads the path. */
export function viewerPages(mailbox: Mailbox): Router {
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
