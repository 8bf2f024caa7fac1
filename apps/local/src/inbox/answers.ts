import type { Html } from './html.js';
import type { Answer } from './route.js';

/** Our own pages: one style sheet, one script, the frame of a message, and no text that could become code. */
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

/** A stranger's HTML: it may look as it likes, but not run, load, send, or be shown outside of our frame. */
const MAIL_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** For what is not a page, if a browser opens it nevertheless. */
const FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

export function pageAnswer(page: Html, status = 200): Answer {
  return answer(status, page.markup, { 'Content-Type': 'text/html; charset=utf-8' }, PAGE_POLICY);
}

export function mailAnswer(document: string): Answer {
  return answer(200, document, { 'Content-Type': 'text/html; charset=utf-8' }, MAIL_POLICY);
}

export function jsonAnswer(value: unknown, status = 200): Answer {
  return answer(status, JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8' }, FILE_POLICY);
}

/** @param type such as `text/css` */
export function fileAnswer(body: string | Buffer, type: string): Answer {
  return answer(200, body, { 'Content-Type': type }, FILE_POLICY);
}

/** The browser saves it and never shows it, whatever its type claims to be. */
export function downloadAnswer(body: Buffer, { name, type }: { name: string; type: string }): Answer {
  const headers = {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream',
    // RFC 6266, with the name encoded as RFC 8187 wants it
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
  };
  return answer(200, body, headers, FILE_POLICY);
}

/** Words only, for a request that comes from no page of ours. */
export function textAnswer(status: number, text: string): Answer {
  return answer(status, `${text}\n`, { 'Content-Type': 'text/plain; charset=utf-8' }, FILE_POLICY);
}

function answer(status: number, body: string | Buffer, headers: Record<string, string>, policy: string): Answer {
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
