import type { Request, RequestHandler, Response } from 'express';
import sirv from 'sirv';
import { dashboardHeaders } from '../middleware/security-headers.js';
import { dashboardFolder } from './document.js';

/** Scripts, styles and pictures; the names of those in assets/ tell their content, so they never change. */
export function dashboardFiles(): RequestHandler {
  const serve = sirv(dashboardFolder, {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders(response, path) {
      response.setHeader('X-Request-Id', (response as Response).locals.requestId);
      for (const [name, value] of dashboardHeaders) response.setHeader(name, value);
      const age = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.setHeader('Cache-Control', age);
    },
  });
  return (request, response, next) => (isOfFile(request) ? serve(request, response, next) : next());
}

/** sirv would answer every method; and the document is at the addresses of the pages alone. */
function isOfFile({ method, path }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && path !== '/index.html';
}
