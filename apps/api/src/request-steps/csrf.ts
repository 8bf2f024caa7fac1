import { isCrossSite } from '@posthorn/platform/network';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { HttpRefusal } from '../http/http-errors.js';
import { countRequestByAddress } from './count-request.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Protects against cross-site request forgery. Only requests with a cookie are at risk, because browsers add cookies on
 * their own. A request with an Authorization header is safe.
 */
export function buildCsrfGuard(
  ctx: Pick<ApiContext, 'config' | 'windows'>,
): (request: Request, response: Response) => void {
  const ownOrigin = new URL(ctx.config.publicUrl).origin;
  return (request, response) => {
    const atRisk = !SAFE_METHODS.has(request.method) && request.headers.authorization === undefined;
    if (!atRisk || !isCrossSite(request.headers, [ownOrigin, `${request.protocol}://${request.headers.host}`])) return;
    countRequestByAddress(ctx, request, response);
    throw new HttpRefusal('csrf_rejected');
  };
}
