import { dashboardPages } from '@posthorn/contract';
import { type Route, type RouteResponse, route } from '../route.js';

const NOT_BUILT = '<!doctype html><title>Posthorn</title><p>The dashboard has not been built. Run npm run build.';

/** Each page is the same document: its script looks at the address. @param document null where there is none */
export function dashboardRoutes(document: string | null): Route[] {
  const answer: RouteResponse = {
    status: document === null ? 503 : 200,
    body: document ?? NOT_BUILT,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    for: 'dashboard',
  };
  return dashboardPages.map((path) =>
    route({ method: 'get', path, access: 'public', summary: 'Dashboard page', handle: async () => answer }),
  );
}
