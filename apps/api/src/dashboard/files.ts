import type { Request, RequestHandler, Response } from 'express';
import sirv from 'sirv';
import type { SecurityHeaders } from '../request-steps/security-headers.js';
import { dashboardFolder } from './document.js';

/** Scripts, styles and images. Files in assets/ have a hash of their content in the name, so they never change. */
export function dashboardFiles({ dashboard }: SecurityHeaders): RequestHandler {
  const serveFile = sirv(dashboardFolder, {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders(response, path) {
      response.setHeader('X-Request-Id', (response as Response).locals.requestId);
      for (let index = 0; index < dashboard.length; index += 2)
        response.setHeader(dashboard[index] as string, dashboard[index + 1] as string);
      const age = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.setHeader('Cache-Control', age);
    },
  });
  return (request, response, next) => (mayBeFile(request) ? serveFile(request, response, next) : next());
}

/** sirv itself would respond to every method. The document is served only at the dashboard's page paths. */
function mayBeFile({ method, path }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && path !== '/index.html';
}
