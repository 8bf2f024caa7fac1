import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '@posthorn/platform/config';
import helmet from 'helmet';

type Directives = Record<string, string[]>;

const denyAll: Directives = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

export type SecurityHeaders = {
  /** Names and values alternate, because writeHead accepts that form. */
  readonly api: readonly string[];
  readonly dashboard: readonly string[];
  readonly docs: readonly string[];
  readonly unsubscribe: readonly string[];
};

/**
 * API responses cannot be framed, MIME-sniffed or cached, and they load nothing from other origins. The dashboard only
 * runs its own scripts. Inline styles are allowed because its components use them. Remote images are allowed because
 * viewers of an email can load them. The docs need neither. The unsubscribe page has one style and posts its form. helmet runs only once, because its headers never change.
 * @param unsubscribeStyle the source of the unsubscribe page's style
 */
export function buildSecurityHeaders(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  unsubscribeStyle: string,
): SecurityHeaders {
  // HSTS only makes sense if the service is reached over https (RFC 6797, 8.1).
  const strictTransportSecurity = publicUrl.startsWith('https:');
  const allow = (more: Directives) => buildHeaders({ ...denyAll, ...more }, strictTransportSecurity);
  const ownPages = (styles: string[], images: string[]) =>
    allow({
      'script-src': ["'self'"],
      'style-src': ["'self'", ...styles],
      'img-src': ["'self'", ...images],
      'connect-src': ["'self'"],
    });
  return {
    api: allow({}),
    dashboard: ownPages(["'unsafe-inline'"], ['data:', 'https:']),
    docs: ownPages([], []),
    unsubscribe: allow({ 'style-src': [unsubscribeStyle], 'form-action': ["'self'"] }),
  };
}

function buildHeaders(directives: Directives, strictTransportSecurity: boolean): string[] {
  const headers = ['Cache-Control', 'no-store'];
  const response = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader() {},
  };
  const contentSecurityPolicy = { useDefaults: false, directives };
  const setHeaders = helmet({ contentSecurityPolicy, strictTransportSecurity });
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
