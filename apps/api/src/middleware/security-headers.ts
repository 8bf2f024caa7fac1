import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type Directives = Record<string, string[]>;

const nowhere: Directives = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * What the API serves is not framed, sniffed or kept, and loads nothing foreign. The names and values in
 * turns: what helmet sets is the same for every answer, so it is asked once.
 */
export const securityHeaders: readonly string[] = headersOf({ ...nowhere, 'style-src': ["'self'"] }).flat();

/**
 * Of the dashboard: only its own scripts run. Its components write style elements, and the pictures of
 * an email are shown where the viewer asks for them.
 */
export const dashboardHeaders: ReadonlyArray<[string, string]> = headersOf({
  ...nowhere,
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
  const harden = helmet({ contentSecurityPolicy: { useDefaults: false, directives } });
  harden({} as IncomingMessage, response as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
