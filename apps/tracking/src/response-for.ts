import type { ReadTrackingToken, TrackedPart } from '@posthorn/domain/links';

export type TrackingResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** What the request reports; null if it reports nothing. */
  readonly hit: TrackedPart | null;
};

/** A transparent image of one pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

/** Every request must reach us, and the page behind a link must not learn where the reader comes from. */
const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const;

const PATH = /^(?:\/[^?]*)?\/([oc])\/([\w-]+)(?:\?.*)?$/;

/**
 * The response to a request, which needs no query. A path that we did not create is never redirected. HEAD reports
 * nothing, because programs use it to check links.
 */
export function responseFor(method: string, url: string, readToken: ReadTrackingToken): TrackingResponse {
  if (url === '/healthz') return text(200, 'ok');
  const [, kind, token = ''] = PATH.exec(url) ?? [];
  const part = kind === undefined ? null : readToken(token);
  if (!part || (kind === 'c') !== (part.url !== null)) return text(404, 'Not found');
  if (method !== 'GET' && method !== 'HEAD') return { ...text(405, 'Method not allowed'), headers: ALLOWED };
  const hit = method === 'GET' ? part : null;
  if (part.url === null)
    return { status: 200, headers: { ...COMMON_HEADERS, 'Content-Type': 'image/gif' }, body: IMAGE, hit };
  return { status: 302, headers: { ...COMMON_HEADERS, Location: part.url }, body: Buffer.alloc(0), hit };
}

const TEXT_HEADERS = { ...COMMON_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } as const;
const ALLOWED = { ...TEXT_HEADERS, Allow: 'GET, HEAD' } as const;

export function text(status: number, body: string): TrackingResponse {
  return { status, headers: TEXT_HEADERS, body: Buffer.from(`${body}\n`), hit: null };
}
