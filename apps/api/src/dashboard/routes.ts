import { dashboardPages } from '@posthorn/contract';
import { type Route, type RouteResponse, route } from '../route.js';

const NOT_BUILT = '<!doctype html><title>Posthorn</title><p>The dashboard has not been built. Run npm run build.';

/** Every page is the same document, whose script reads the path. @param document null if it is not built */
export function dashboardRoutes(document: string | null): Route[] {
  const response: RouteResponse = {
    status: document === null ? 503 : 200,
    body: document ?? NOT_BUILT,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    page: 'dashboard',
  };
  return dashboardPages.map((path) =>
    route({
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
