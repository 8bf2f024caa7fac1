import type { Config } from '@posthorn/platform/config';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';

export type CookieContext = { readonly config: Pick<Config, 'publicUrl'> };

/** The value of one of our cookies in the request. */
export function readHostCookie(
  { config }: CookieContext,
  request: Pick<Request, 'headers'>,
  name: string,
): string | null {
  return parseCookie(request.headers.cookie ?? '')[hostName(config, name)] || null;
}

/** The Set-Cookie header for a cookie that scripts cannot read. */
export function setHostCookie(
  { config }: CookieContext,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
): string {
  return stringifySetCookie({
    name: hostName(config, name),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
  });
}

/** Browsers only accept a __Host- cookie from this host over HTTPS, so a sibling domain cannot set it. */
function hostName(config: CookieContext['config'], name: string): string {
  return isHttps(config) ? `__Host-${name}` : name;
}

function isHttps({ publicUrl }: CookieContext['config']): boolean {
  return publicUrl.startsWith('https:');
}
