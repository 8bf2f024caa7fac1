import type { Response } from 'supertest';

/** The cookie that a response sets: `posthorn_session=...`, and the attributes after it. */
export function cookieOf(response: Response): { pair: string; token: string; attributes: string[] } {
  const [line = ''] = response.get('Set-Cookie') ?? [];
  const [pair = '', ...attributes] = line.split('; ');
  return { pair, token: pair.slice(pair.indexOf('=') + 1), attributes };
}
