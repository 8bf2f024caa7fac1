import type { Request } from 'express';
import type { Route, RouteResponse } from '../route.js';

type NotFoundPage = (request: Request) => RouteResponse | null;

/**
 * What a browser gets for a mistyped path of the dashboard: the document, which shows that the page does not exist.
 * Null for every other request, and for paths that begin like one of the API's, which get JSON.
 * @param document null if the dashboard is not built
 */
export function notFoundPage(document: string | null, apiRoutes: readonly Pick<Route, 'path'>[]): NotFoundPage {
  // The dashboard's router cannot read a path with an empty segment, such as //example.com.
  const reserved = new Set(['', 'assets', ...apiRoutes.map(({ path }) => firstSegment(path))]);
  return ({ method, path, headers: { accept = '' } }) => {
    const isNavigation = method === 'GET' && accept.toLowerCase().includes('text/html');
    if (document === null || !isNavigation || reserved.has(firstSegment(path))) return null;
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    return { status: 404, body: document, headers, page: 'dashboard' };
  };
}

function firstSegment(path: string): string {
  return path.split('/')[1] ?? '';
}
