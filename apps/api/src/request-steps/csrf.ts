import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { HttpRefusal } from '../http/http-errors.js';
import { countRequestByAddress } from './count-request.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const SAME_SITE = new Set(['same-origin', 'none']);

/**
 * Protects against cross-site request forgery with Sec-Fetch-Site, or with Origin for browsers that do not send it
 * (OWASP cheat sheet). Only requests with a cookie are at risk, because browsers add cookies on their own. A request
 * with an Authorization header is safe, and one without Sec-Fetch-Site and Origin does not come from a browser.
 */
export function buildCsrfGuard(
  ctx: Pick<ApiContext, 'config' | 'windows'>,
): (request: Request, response: Response) => void {
  const ownOrigin = new URL(ctx.config.publicUrl).origin;
  return (request, response) => {
    const atRisk = !SAFE_METHODS.has(request.method) && request.headers.authorization === undefined;
    if (!atRisk || !isCrossSite(request, ownOrigin)) return;
    countRequestByAddress(ctx, request, response);
    throw new HttpRefusal('csrf_rejected');
  };
}

function isCrossSite(request: Request, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return !SAME_SITE.has(String(site));
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  return origin !== ownOrigin && origin !== `${request.protocol}://${host}`;
}
