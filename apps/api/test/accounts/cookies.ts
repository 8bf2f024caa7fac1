import type { Response } from 'supertest';

/** What an answer makes the browser keep: `posthorn_session=...`, and the attributes after it. */
export function cookieOf(response: Response): { pair: string; token: string; attributes: string[] } {
  const [line = ''] = response.get('Set-Cookie') ?? [];
  const [pair = '', ...attributes] = line.split('; ');
  return { pair, token: pair.slice(pair.indexOf('=') + 1), attributes };
}

/** A problem without what differs in every answer. */
export function problemOf({ status, body: { request_id, ...problem } }: Response): object {
  return { status, ...problem };
}
