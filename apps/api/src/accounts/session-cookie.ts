import { type Config, sessionLife } from '@posthorn/domain';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';

type CookieContext = { readonly config: Pick<Config, 'publicUrl'> };

/** The session token in the request's cookie. */
export function readSessionToken({ config }: CookieContext, request: Pick<Request, 'headers'>): string | null {
  return parseCookie(request.headers.cookie ?? '')[cookieName(config)] || null;
}

/** The Set-Cookie header of a new session. */
export function sessionCookie({ config }: CookieContext, token: string): string {
  return setCookie(config, token, sessionLife.days * 86_400);
}

/** The Set-Cookie header that removes the cookie. */
export function expiredSessionCookie({ config }: CookieContext): string {
  return setCookie(config, '', 0);
}

function setCookie(config: CookieContext['config'], value: string, maxAge: number): string {
  return stringifySetCookie({
    name: cookieName(config),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
  });
}

/** Browsers only accept a __Host- cookie from this host over HTTPS, so a sibling domain cannot set it. */
function cookieName(config: CookieContext['config']): string {
  return isHttps(config) ? '__Host-posthorn_session' : 'posthorn_session';
}

function isHttps({ publicUrl }: CookieContext['config']): boolean {
  return publicUrl.startsWith('https:');
}
