import type { Request } from 'express';
import { clientAddressOf } from '../http/client-address.js';
import { readDeviceToken } from './device-cookie.js';
import type { CookieContext } from './host-cookie.js';

/** Identifies the client when failed logins are counted. */
export function loginClientOf(ctx: CookieContext, request: Request): { peer: string; deviceToken: string | null } {
  return { peer: clientAddressOf(request), deviceToken: readDeviceToken(ctx, request) };
}
