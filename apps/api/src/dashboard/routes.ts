import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardPages } from '@posthorn/contract';
import type { Request, RequestHandler, Response } from 'express';
import sirv from 'sirv';
import type { SecurityHeaders } from '../http/security-headers.js';
import { defineRoute, type Route, type RouteResponse } from '../routing/route.js';

/** The build output of apps/dashboard. The relative path is the same from this app's sources as from its build. */
const dashboardFolder = join(import.meta.dirname, '../../../dashboard/dist');

/**
 * The HTML document of every dashboard page, or null if the dashboard is not built. The document and the list of the
 * files that it loads are both read at startup, so that a running process never serves parts of a later build.
 */
export function readDocument(): string | null {
  const path = join(dashboardFolder, 'index.html');
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

const NOT_BUILT = '<!doctype html><title>Posthorn</title><p>The dashboard has not been built. Run npm run build.';

/** Every page is the same document, whose script reads the path. @param document null if it is not built */
export function buildDashboardRoutes(document: string | null): Route[] {
  const response: RouteResponse = {
    status: document === null ? 503 : 200,
    body: document ?? NOT_BUILT,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    page: 'dashboard',
  };
  return dashboardPages.map((path) =>
    defineRoute({
      operationId: 'getDashboardPage',
      method: 'get',
      path,
      access: 'public',
      summary: 'Dashboard page',
      contentType: 'text/html',
      ignoresQuery: true,
      handle: async () => response,
    }),
  );
}

/** Scripts, styles and images. Files in assets/ have a hash of their content in the name, so they never change. */
export function serveDashboardFiles({ dashboard }: SecurityHeaders): RequestHandler {
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

type NotFoundPage = (request: Request) => RouteResponse | null;

/**
 * What a browser gets for a mistyped path of the dashboard: the document, which shows that the page does not exist.
 * Null for every other request, and for paths that begin like one of the API's, which get JSON.
 * @param document null if the dashboard is not built
 */
export function buildNotFoundPage(document: string | null, apiRoutes: readonly Pick<Route, 'path'>[]): NotFoundPage {
  // The dashboard's router cannot read a path with an empty segment, such as //example.com.
  const reserved = new Set(['', 'assets', ...apiRoutes.map(({ path }) => readFirstSegment(path))]);
  return ({ method, path, headers: { accept = '' } }) => {
    const isNavigation = method === 'GET' && accept.toLowerCase().includes('text/html');
    if (document === null || !isNavigation || reserved.has(readFirstSegment(path))) return null;
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    return { status: 404, body: document, headers, page: 'dashboard' };
  };
}

function readFirstSegment(path: string): string {
  return path.split('/')[1] ?? '';
}
