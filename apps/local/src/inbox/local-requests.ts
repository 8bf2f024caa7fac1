import type { IncomingHttpHeaders } from 'node:http';

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Any site may let its own name resolve to 127.0.0.1 and so read the inbox in a visitor's browser
 * (DNS rebinding), but that browser then names the site as the host. The port may differ from ours
 * where it is forwarded.
 */
export function isLocalHost({ host }: IncomingHttpHeaders): boolean {
  return LOCAL_HOST.test(host ?? '');
}

/** Whether a browser says that a page of another origin made this request; what sends neither header is none. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return !OWN_SITE.has(String(site));
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}
