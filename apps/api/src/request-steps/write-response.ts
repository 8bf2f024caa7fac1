import type { RateLimitState } from '@posthorn/domain/errors';
import { limits, MIN_DOWNLOAD_BYTES_PER_SECOND } from '@posthorn/domain/limits';
import { groupCalls } from '@posthorn/platform/batching';
import { encodeJson, isLargeJson } from '@posthorn/platform/values';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { isGone, MAX_SMALL_BODY_BYTES } from '../http/body-budget.js';
import { discardBody } from '../http/discard-body.js';
import type { RouteResponse } from '../routing/route.js';

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
  ctx: Pick<ApiContext, 'bodies' | 'metrics' | 'server' | 'turns'>,
  response: Response,
  result: RouteResponse,
): void {
  const { status, body, pieces = [] } = result;
  const { req: request } = response;
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  const length = Buffer.byteLength(text) + countBytes(pieces);
  if (length > MAX_SMALL_BODY_BYTES && request.method === 'GET') reserveUnlessReserved(ctx, response, length);
  const lines = buildHeaderLines(ctx, response, result);
  if (typeof body === 'object') lines.push('Content-Type', JSON_TYPE);
  if (status !== NO_CONTENT) lines.push('Content-Length', String(length));
  if (mustClose(ctx, request, status)) lines.push('Connection', 'close');
  response.writeHead(status, lines);
  for (const piece of pieces) response.write(piece);
  response.end(text);
  if (length > MAX_SMALL_BODY_BYTES) closeIfTooSlow(response, length);
  observe(ctx, response);
}

/** The headers that every response has, and those of this one. Each name is followed by its value. */
function buildHeaderLines(
  ctx: Pick<ApiContext, 'server'>,
  response: Response,
  { headers = {}, rate = response.locals.rate, page }: Omit<RouteResponse, 'status'>,
) {
  const lines = [...ctx.server.securityHeaders[page ?? 'api'], 'X-Request-Id', response.locals.requestId];
  if (rate) addRateHeaders(lines, rate);
  for (const name in headers) lines.push(name, headers[name]);
  return lines;
}

function countBytes(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function mustClose({ turns }: Pick<ApiContext, 'turns'>, request: Request, status: number): boolean {
  return !request.complete && (status === REQUEST_TIMEOUT || !discardBody(turns.discards, request));
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
function observe({ metrics }: Pick<ApiContext, 'metrics'>, { req, statusCode, locals }: Response): void {
  const labels = { method: req.method, route: locals.route ?? 'unknown', status: statusCode };
  metrics.requestSeconds.observe(labels, (performance.now() - locals.startedAt) / 1_000);
}

/** A response that waits to be encoded counts as this many bytes, about the size of most large responses. */
const ASSUMED_BYTES = 4_000_000;

export function isLarge({ body }: RouteResponse): boolean {
  return typeof body === 'object' && isLargeJson(body);
}

/** Encodes one value at a time, because several would take too much memory. */
const encodeLargeJson: (value: object) => Promise<Buffer[]> = groupCalls(
  async ([value]: object[]) => [await encodeJson(value as object)],
  { max: 1 },
);

/**
 * Encodes the JSON of a large response without blocking other requests. Its bytes count against the limits until the
 * client has read them.
 * @throws Refusal rate_limited if too many bytes of earlier responses have not been read yet
 */
export async function encodeLarge(
  { bodies }: Pick<ApiContext, 'bodies'>,
  response: Response,
  { body, headers, ...rest }: RouteResponse,
): Promise<RouteResponse> {
  // Only reads are refused, because a client must be told that a change was made.
  const reserve = (bytes: number) => response.req.method === 'GET' && bodies.reserve(response, bytes);
  reserve(ASSUMED_BYTES);
  const pieces = await encodeLargeJson(body as object);
  reserve(countBytes(pieces) - ASSUMED_BYTES);
  return { ...rest, pieces, headers: { 'Content-Type': JSON_TYPE, ...headers } };
}

/** How fast a client must read a large response, which takes memory or a turn from others. */
type Pace = { readonly bytesPerSecond: number; readonly stallMs: number };

export const DOWNLOAD_PACE: Pace = {
  bytesPerSecond: MIN_DOWNLOAD_BYTES_PER_SECOND,
  stallMs: limits.downloadStallSeconds.max * 1_000,
};

function toMaxMs(bytes: number, { bytesPerSecond, stallMs }: Pace): number {
  return stallMs + (bytes / bytesPerSecond) * 1_000;
}

function closeIfTooSlow(response: Response, bytes: number): void {
  const { socket } = response.req;
  const timer = setTimeout(() => socket.destroy(), toMaxMs(bytes, DOWNLOAD_PACE)).unref();
  response.once('close', () => clearTimeout(timer));
}

type Streaming = {
  readonly stream: AsyncIterator<string | Buffer>;
  readonly pace: Pace;
  /** Throws if the client may not have the next piece, because its credential has been revoked or has expired. */
  readonly assertAllowed: () => Promise<unknown>;
};

/**
 * Writes a response whose length is not known, piece by piece, at the speed of the client. The first piece is awaited
 * before anything is written, so an error up to then becomes an ordinary problem. After a later error the connection is
 * closed early, so that the client notices that something is missing.
 */
export async function streamResponse(
  ctx: Pick<ApiContext, 'metrics' | 'server'>,
  response: Response,
  { stream, pace, assertAllowed, ...result }: RouteResponse & Streaming,
): Promise<void> {
  try {
    let piece = await stream.next();
    response.writeHead(result.status, buildHeaderLines(ctx, response, result));
    while (!piece.done && !isGone(response)) {
      if (!response.write(piece.value)) await waitUntilDrained(response, pace);
      await assertAllowed();
      piece = await stream.next();
    }
    response.end();
    observe(ctx, response);
  } finally {
    // Ends the export if the client has gone.
    await stream.return?.();
  }
}

/** Waits until the client has read what was written. A client that reads too slowly loses its connection. */
async function waitUntilDrained(response: Response, pace: Pace): Promise<void> {
  const { socket } = response.req;
  if (isGone(response)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => socket.destroy(), toMaxMs(response.writableLength, pace));
    response.once('drain', done);
    socket.once('close', done);
  });
}
