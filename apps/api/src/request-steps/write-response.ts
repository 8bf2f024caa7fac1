import type { RateLimitState } from '@posthorn/domain/errors';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import { MAX_SMALL_BODY_BYTES } from '../load-limits/byte-budget.js';
import type { RouteResponse } from '../route.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

const NO_CONTENT = 204;
/**
 * With this status, the connection is closed, because the rest of the body would be just as slow (RFC 9110, 15.5.9).
 */
const REQUEST_TIMEOUT = 408;

/**
 * Writes every response and every problem, with all headers and the body in one write.
 * @throws Refusal rate_limited if too many bytes of earlier responses have not been read yet
 */
export function writeResponse(
  ctx: Pick<ApiContext, 'bodies' | 'discardBody' | 'metrics' | 'securityHeaders'>,
  response: Response,
  result: RouteResponse,
): void {
  const { status, body, pieces = [] } = result;
  const { req: request } = response;
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  const length = Buffer.byteLength(text) + bytesIn(pieces);
  if (length > MAX_SMALL_BODY_BYTES && request.method === 'GET') reserveUnlessReserved(ctx, response, length);
  const lines = headerLines(ctx, response, result);
  if (typeof body === 'object') lines.push('Content-Type', JSON_TYPE);
  if (status !== NO_CONTENT) lines.push('Content-Length', String(length));
  if (mustClose(ctx, request, status)) lines.push('Connection', 'close');
  response.writeHead(status, lines);
  for (const piece of pieces) response.write(piece);
  response.end(text);
  observe(ctx, response);
}

/** The headers that every response has, and those of this one. Each name is followed by its value. */
export function headerLines(
  ctx: Pick<ApiContext, 'securityHeaders'>,
  response: Response,
  { headers = {}, rate = response.locals.rate, page }: Omit<RouteResponse, 'status'>,
) {
  const lines = [...ctx.securityHeaders[page ?? 'api'], 'X-Request-Id', response.locals.requestId];
  if (rate) addRateHeaders(lines, rate);
  for (const name in headers) lines.push(name, headers[name]);
  return lines;
}

export function bytesIn(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function mustClose({ discardBody }: Pick<ApiContext, 'discardBody'>, request: Request, status: number): boolean {
  return !request.complete && (status === REQUEST_TIMEOUT || !discardBody(request));
}

/** The bytes of a response that was encoded in pieces have already been reserved. */
function reserveUnlessReserved({ bodies }: Pick<ApiContext, 'bodies'>, response: Response, bytes: number): void {
  if (bodies.requestedBytes(response) === 0) bodies.reserve(response, bytes);
}

function addRateHeaders(lines: string[], { limit, remaining, resetSeconds }: RateLimitState): void {
  lines.push('RateLimit-Limit', String(limit));
  lines.push('RateLimit-Remaining', String(remaining));
  lines.push('RateLimit-Reset', String(resetSeconds));
}

/** Labels the metric with the route's pattern. If the label were the path, every id would get its own time series. */
export function observe({ metrics }: Pick<ApiContext, 'metrics'>, { req, statusCode, locals }: Response): void {
  const labels = { method: req.method, route: locals.route ?? 'unknown', status: statusCode };
  metrics.requestSeconds.observe(labels, (performance.now() - locals.startedAt) / 1_000);
}
