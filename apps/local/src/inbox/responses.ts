import type { Html } from './html.js';
import type { RouteResponse } from './route.js';

/** For the inbox's own pages: one style sheet, one script and the frame that shows a message. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * For the HTML of a message, which is untrusted. It may use inline styles and inlined images. It may
 * not run scripts, load anything, submit forms or be framed by other sites.
 */
const MESSAGE_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** For files and JSON, in case a browser opens one as a page. */
const FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

export function pageResponse(page: Html, status = 200): RouteResponse {
  return respond(status, page.markup, { 'Content-Type': 'text/html; charset=utf-8' }, PAGE_POLICY);
}

export function messageHtmlResponse(document: string): RouteResponse {
  return respond(200, document, { 'Content-Type': 'text/html; charset=utf-8' }, MESSAGE_POLICY);
}

export function jsonResponse(value: unknown, status = 200): RouteResponse {
  return respond(status, JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8' }, FILE_POLICY);
}

/** @param type for example `text/css` */
export function fileResponse(body: string | Buffer, type: string): RouteResponse {
  return respond(200, body, { 'Content-Type': type }, FILE_POLICY);
}

/** The browser always saves an attachment and never shows it, whatever its type. */
export function downloadResponse(body: Buffer, { name, type }: { name: string; type: string }): RouteResponse {
  const headers = {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream',
    // RFC 6266, with the name encoded according to RFC 8187
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
  };
  return respond(200, body, headers, FILE_POLICY);
}

export function textResponse(status: number, text: string): RouteResponse {
  return respond(status, `${text}\n`, { 'Content-Type': 'text/plain; charset=utf-8' }, FILE_POLICY);
}

function respond(
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
  policy: string,
): RouteResponse {
  return {
    status,
    body,
    headers: {
      ...headers,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-DNS-Prefetch-Control': 'off',
    },
  };
}

function encodeName(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed());
  return encoded.replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
