import { type Config, sessionLife } from '@posthorn/domain';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';

type Site = { readonly config: Pick<Config, 'publicUrl'> };

/** The session's token as the browser sent it. */
export function readSessionToken({ config }: Site, request: Pick<Request, 'headers'>): string | null {
  return parseCookie(request.headers.cookie ?? '')[cookieName(config)] || null;
}

/** The Set-Cookie line of a new session. */
export function sessionCookie({ config }: Site, token: string): string {
  return setCookie(config, token, sessionLife.days * 86_400);
}

/** The Set-Cookie line that takes it away. */
export function noSessionCookie({ config }: Site): string {
  return setCookie(config, '', 0);
}

function setCookie(config: Site['config'], value: string, maxAge: number): string {
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

/** Browsers take a __Host- cookie from this host over https alone, so no neighbour can plant one. */
function cookieName(config: Site['config']): string {
  return isHttps(config) ? '__Host-posthorn_session' : 'posthorn_session';
}

function isHttps({ publicUrl }: Site['config']): boolean {
  return publicUrl.startsWith('https:');
}
