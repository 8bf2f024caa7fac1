import { logOut } from '@posthorn/domain';
import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';
import { readSessionToken, sessionCookie } from './session-cookie.js';
import { viewSession } from './view.js';

/** A browser that was logged in before is that no more: the cookie it keeps is the new one. */
export async function welcome(
  ctx: ApiContext,
  request: Request,
  { status, token }: { status: number; token: string },
): Promise<RouteResponse> {
  await endSession(ctx, request);
  const caller = await ctx.authenticateSession(token);
  if (!caller) throw new Error('A new session is not there');
  return { status, body: viewSession(ctx, caller), headers: { 'Set-Cookie': sessionCookie(ctx, token) } };
}

export async function endSession(ctx: ApiContext, request: Request): Promise<void> {
  const token = readSessionToken(ctx, request);
  if (token !== null) await logOut(ctx, token);
}
