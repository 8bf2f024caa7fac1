import type { IncomingHttpHeaders } from 'node:http';

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Protects against DNS rebinding: a site can resolve its own name to 127.0.0.1 and read the inbox through a visitor's
 * browser, but the Host header then contains the site's name. Any port is accepted, because ours may be forwarded.
 */
export function isLocalHost({ host }: IncomingHttpHeaders): boolean {
  return LOCAL_HOST.test(host ?? '');
}

/**
 * Whether a page from another origin made this request. Clients that send neither Sec-Fetch-Site nor Origin are not
 * browsers.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return !OWN_SITE.has(String(site));
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}
