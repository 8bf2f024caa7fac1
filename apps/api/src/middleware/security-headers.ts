import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * Nothing the API serves may be framed, sniffed, cached by proxies or load foreign content. Names and
 * values in turns. What helmet sets is the same for every answer, so it is asked once.
 */
export const securityHeaders: readonly string[] = ['Cache-Control', 'no-store', ...headersOfHelmet()];

function headersOfHelmet(): string[] {
  const headers: string[] = [];
  const response = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader() {},
  };
  harden({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

function harden(...call: Parameters<ReturnType<typeof helmet>>): void {
  helmet({
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
  })(...call);
}
