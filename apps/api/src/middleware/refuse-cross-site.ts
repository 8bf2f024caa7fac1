import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http-errors.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const SAME_SITE = new Set(['same-origin', 'none']);

/**
 * Cross-site request forgery (OWASP cheat sheet, fetch metadata with the Origin fallback): what a
 * browser sends by itself is the cookie, so a request that bears a key instead is not at risk, and
 * one without either header comes from no browser.
 */
export function refuseCrossSite(ctx: Pick<ApiContext, 'config'>): (request: Request) => void {
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
