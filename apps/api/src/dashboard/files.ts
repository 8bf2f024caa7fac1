import type { RequestHandler, Response } from 'express';
import sirv from 'sirv';
import { dashboardHeaders } from '../middleware/security-headers.js';
import { dashboardFolder } from './folder.js';

/** Scripts, styles and pictures; the names of those in assets/ tell their content, so they never change. */
export function dashboardFiles(): RequestHandler {
  return sirv(dashboardFolder, {
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
}
