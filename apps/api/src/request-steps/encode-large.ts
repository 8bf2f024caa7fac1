import { isLargeJson } from '@posthorn/domain';
import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether a response should be encoded by `encodeLarge`. */
export function isLarge({ body }: RouteResponse): boolean {
  return typeof body === 'object' && isLargeJson(body);
}

/**
 * Encodes the JSON of a large response while other requests go on. Its bytes count until the client has read them.
 * @throws Refusal rate_limited if too many bytes of earlier responses have not been read yet
 */
export async function encodeLarge(
  ctx: Pick<ApiContext, 'bodies' | 'json'>,
  response: Response,
  { body, headers, ...rest }: RouteResponse,
): Promise<RouteResponse> {
  // Only reads are refused, because a client must be told that a change was made.
  const take = (bytes: number) => response.req.method === 'GET' && ctx.bodies.take(response, bytes);
  take(LARGE_BYTES);
  const pieces = await ctx.json.encode(body as object);
  take(bytesIn(pieces) - LARGE_BYTES);
  return { ...rest, pieces, headers: { 'Content-Type': JSON_TYPE, ...headers } };
}

export function bytesIn(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** A response that waits to be encoded counts as this many bytes, which is as much as most have. */
const LARGE_BYTES = 4_000_000;
