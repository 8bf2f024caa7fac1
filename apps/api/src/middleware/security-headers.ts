import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type Directives = Record<string, string[]>;

const denyAll: Directives = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * API responses cannot be framed, MIME-sniffed or cached, and they load nothing from other origins. Names and values
 * alternate, because writeHead accepts that form. helmet runs only once, because its headers are always the same.
 */
export const securityHeaders: readonly string[] = headersOf({ ...denyAll, 'style-src': ["'self'"] }).flat();

/**
 * The dashboard only runs its own scripts. Inline styles are allowed for its components, and remote images for the
 * images in an email, which the viewer can choose to load.
 */
export const dashboardHeaders: ReadonlyArray<[string, string]> = headersOf({
  ...denyAll,
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'connect-src': ["'self'"],
});

function headersOf(directives: Directives): Array<[string, string]> {
  const headers: Array<[string, string]> = [['Cache-Control', 'no-store']];
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader() {},
  };
  const setHeaders = helmet({ contentSecurityPolicy: { useDefaults: false, directives } });
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
