import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';
import { dashboardHeaders, securityHeaders } from './security-headers.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_CONTENT = 204;
const ofDashboard = dashboardHeaders.flat();

/** The one way out, for answers and problems alike: all headers at once, in one write with the body. */
export function writeResponse(ctx: Pick<ApiContext, 'metrics'>, response: Response, answer: RouteResponse): void {
  const { status, body, headers = {} } = answer;
  const security = answer.for === 'dashboard' ? ofDashboard : securityHeaders;
  const lines = [...security, 'X-Request-Id', response.locals.requestId];
  for (const name in headers) lines.push(name, headers[name]);
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  if (typeof body === 'object') lines.push('Content-Type', JSON_TYPE);
  if (status !== NO_CONTENT) lines.push('Content-Length', String(Buffer.byteLength(text)));
  response.writeHead(status, lines).end(text);
  observe(ctx, response);
}

/** By the route's pattern, never by the path with its ids. */
function observe({ metrics }: Pick<ApiContext, 'metrics'>, { req, statusCode, locals }: Response): void {
  const labels = { method: req.method, route: locals.route ?? 'unknown', status: statusCode };
  metrics.requestSeconds.observe(labels, (performance.now() - locals.startedAt) / 1_000);
}
