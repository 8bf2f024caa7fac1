import { KNOWN_DEVICE_DAYS } from '@posthorn/domain/accounts';
import type { Request } from 'express';
import { type CookieContext, readHostCookie, setHostCookie } from './host-cookie.js';

const name = 'posthorn_device';

/** The device token from the last login in this browser, even if that session has ended. */
export function readDeviceToken(ctx: CookieContext, request: Pick<Request, 'headers'>): string | null {
  return readHostCookie(ctx, request, name);
}

/** The Set-Cookie header for the device token. With it, failed logins elsewhere do not lock out this browser. */
export function deviceCookie(ctx: CookieContext, token: string): string {
  return setHostCookie(ctx, { name, value: token, maxAge: KNOWN_DEVICE_DAYS * 86_400 });
}
