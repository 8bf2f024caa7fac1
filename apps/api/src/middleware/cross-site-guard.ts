import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http-errors.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const SAME_SITE = new Set(['same-origin', 'none']);

/**
 * Refuses cross-site request forgery by Sec-Fetch-Site, or by Origin where a browser does not send it (OWASP cheat
 * sheet). Only cookies are at risk, because browsers add them on their own; a request with an Authorization header
 * is not. A request with neither header does not come from a browser.
 */
export function crossSiteGuard(ctx: Pick<ApiContext, 'config'>): (request: Request) => void {
  const ownOrigin = new URL(ctx.config.publicUrl).origin;
  return (request) => {
    const atRisk = !SAFE_METHODS.has(request.method) && request.headers.authorization === undefined;
    if (atRisk && isCrossSite(request, ownOrigin)) throw new HttpRefusal('csrf_rejected');
  };
}

function isCrossSite(request: Request, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return !SAME_SITE.has(String(site));
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  return origin !== ownOrigin && origin !== `${request.protocol}://${host}`;
}
