import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Nothing the API serves may be framed, sniffed, cached by proxies or load foreign content. */
export function securityHeaders(): RequestHandler {
  const harden = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'style-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
  });
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    harden(request, response, next);
  };
}
