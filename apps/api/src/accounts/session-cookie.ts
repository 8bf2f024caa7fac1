import { sessionLife } from '@posthorn/domain/accounts';
import type { Request } from 'express';
import { type CookieContext, readHostCookie, setHostCookie } from './host-cookie.js';

const name = 'posthorn_session';

/** The session token in the request's cookie. */
export function readSessionToken(ctx: CookieContext, request: Pick<Request, 'headers'>): string | null {
  return readHostCookie(ctx, request, name);
}

/** The Set-Cookie header for a new session. */
export function sessionCookie(ctx: CookieContext, token: string): string {
  return setHostCookie(ctx, { name, value: token, maxAge: sessionLife.days * 86_400 });
}

/** The Set-Cookie header that removes the cookie. */
export function expiredSessionCookie(ctx: CookieContext): string {
  return setHostCookie(ctx, { name, value: '', maxAge: 0 });
}
