import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_CONTENT = 204;

/** Writes every response and every problem, with all headers and the body in one write. */
export function writeResponse(
  ctx: Pick<ApiContext, 'metrics' | 'securityHeaders'>,
  response: Response,
  { status, body, headers = {}, isDashboardPage }: RouteResponse,
): void {
  const { api, dashboard } = ctx.securityHeaders;
  const lines = [...(isDashboardPage ? dashboard : api), 'X-Request-Id', response.locals.requestId];
  for (const name in headers) lines.push(name, headers[name]);
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  if (typeof body === 'object') lines.push('Content-Type', JSON_TYPE);
  if (status !== NO_CONTENT) lines.push('Content-Length', String(Buffer.byteLength(text)));
  response.writeHead(status, lines).end(text);
  observe(ctx, response);
}

/** Labels the metric with the route's pattern. If the label were the path, every id would get its own time series. */
function observe({ metrics }: Pick<ApiContext, 'metrics'>, { req, statusCode, locals }: Response): void {
  const labels = { method: req.method, route: locals.route ?? 'unknown', status: statusCode };
  metrics.requestSeconds.observe(labels, (performance.now() - locals.startedAt) / 1_000);
}
