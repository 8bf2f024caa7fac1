import { KNOWN_DEVICE_DAYS, sessionLife } from '@posthorn/domain/accounts';
import type { Config } from '@posthorn/platform/config';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request } from 'express';

const SESSION_COOKIE = 'posthorn_session';

export function findSessionToken(ctx: CookieContext, request: Pick<Request, 'headers'>): string | null {
  return readHostCookie(ctx, request, SESSION_COOKIE);
}

export function buildSessionCookie(ctx: CookieContext, token: string): string {
  return setHostCookie(ctx, { name: SESSION_COOKIE, value: token, maxAge: sessionLife.days * 86_400 });
}

export function buildExpiredSessionCookie(ctx: CookieContext): string {
  return setHostCookie(ctx, { name: SESSION_COOKIE, value: '', maxAge: 0 });
}

const DEVICE_COOKIE = 'posthorn_device';

/** The device token from the last login in this browser, even if that session has ended. */
export function findDeviceToken(ctx: CookieContext, request: Pick<Request, 'headers'>): string | null {
  return readHostCookie(ctx, request, DEVICE_COOKIE);
}

/** The Set-Cookie header for the device token. With it, failed logins elsewhere do not lock out this browser. */
export function buildDeviceCookie(ctx: CookieContext, token: string): string {
  return setHostCookie(ctx, { name: DEVICE_COOKIE, value: token, maxAge: KNOWN_DEVICE_DAYS * 86_400 });
}

export type CookieContext = { readonly config: Pick<Config, 'publicUrl'> };

function readHostCookie({ config }: CookieContext, request: Pick<Request, 'headers'>, name: string): string | null {
  return parseCookie(request.headers.cookie ?? '')[toHostName(config, name)] || null;
}

/** The Set-Cookie header for a cookie that scripts cannot read. */
function setHostCookie(
  { config }: CookieContext,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
): string {
  return stringifySetCookie({
    name: toHostName(config, name),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
  });
}

/** Browsers only accept a __Host- cookie from this host over HTTPS, so a sibling domain cannot set it. */
function toHostName(config: CookieContext['config'], name: string): string {
  return isHttps(config) ? `__Host-${name}` : name;
}

function isHttps({ publicUrl }: CookieContext['config']): boolean {
  return publicUrl.startsWith('https:');
}
