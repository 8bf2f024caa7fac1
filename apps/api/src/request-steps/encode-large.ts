import { isLargeJson } from '@posthorn/platform/values';
import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';
import { bytesIn, JSON_TYPE } from './write-response.js';

/** A response that waits to be encoded counts as this many bytes, about the size of most large responses. */
const ASSUMED_BYTES = 4_000_000;

/** Whether a response should be encoded by `encodeLarge`. */
export function isLarge({ body }: RouteResponse): boolean {
  return typeof body === 'object' && isLargeJson(body);
}

/**
 * Encodes the JSON of a large response without blocking other requests. Its bytes count against the limits until the
 * client has read them.
 * @throws Refusal rate_limited if too many bytes of earlier responses have not been read yet
 */
export async function encodeLarge(
  ctx: Pick<ApiContext, 'bodies' | 'json'>,
  response: Response,
  { body, headers, ...rest }: RouteResponse,
): Promise<RouteResponse> {
  // Only reads are refused, because a client must be told that a change was made.
  const reserve = (bytes: number) => response.req.method === 'GET' && ctx.bodies.reserve(response, bytes);
  reserve(ASSUMED_BYTES);
  const pieces = await ctx.json.encode(body as object);
  reserve(bytesIn(pieces) - ASSUMED_BYTES);
  return { ...rest, pieces, headers: { 'Content-Type': JSON_TYPE, ...headers } };
}
