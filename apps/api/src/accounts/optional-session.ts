import type { SessionCaller } from '@posthorn/domain/accounts';
import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import { readSessionToken } from './session-cookie.js';

/** The session of a request to a public route, or null if it has none. */
export async function optionalSession(ctx: ApiContext, request: Request): Promise<SessionCaller | null> {
  const token = readSessionToken(ctx, request);
  return token === null ? null : ctx.authenticateSession(token);
}
