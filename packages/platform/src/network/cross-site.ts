import type { IncomingHttpHeaders } from 'node:http';

const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Whether a page from another origin made this request: Sec-Fetch-Site says so, or Origin for browsers that do not send
 * it (OWASP cheat sheet on CSRF). A request without both does not come from a browser.
 */
export function isCrossSite(headers: IncomingHttpHeaders, ownOrigins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return !OWN_SITE.has(String(site));
  return headers.origin !== undefined && !ownOrigins.includes(headers.origin);
}
