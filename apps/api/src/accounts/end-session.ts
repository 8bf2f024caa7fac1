import { logOut } from '@posthorn/domain/accounts';
import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import { readSessionToken } from './session-cookie.js';

/** Ends the session that the request's cookie identifies, if there is one. */
export async function endSession(ctx: ApiContext, request: Request): Promise<void> {
  const token = readSessionToken(ctx, request);
  if (token !== null) await logOut(ctx, token);
}
