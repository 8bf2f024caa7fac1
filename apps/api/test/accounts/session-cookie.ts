import type { Response } from 'supertest';

/** The session cookie that a response sets: `posthorn_session=...`, and the attributes after it. */
export function getCookie(response: Response): { pair: string; token: string; attributes: string[] } {
  const [line = ''] = response.get('Set-Cookie') ?? [];
  const [pair = '', ...attributes] = line.split('; ');
  return { pair, token: pair.slice(pair.indexOf('=') + 1), attributes };
}

/** Headers of a later request from the same browser, once its session has ended. */
export function getDeviceCookie(response: Response): { Cookie: string } {
  const line = (response.get('Set-Cookie') ?? []).find((cookie) => cookie.includes('posthorn_device=')) ?? '';
  return { Cookie: line.split('; ')[0] ?? '' };
}
