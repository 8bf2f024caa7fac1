import type { Request } from 'express';
import type { ApiContext } from '../context.js';
import type { RouteResponse } from '../route.js';
import { deviceCookie } from './device-cookie.js';
import { endSession } from './end-session.js';
import { sessionCookie } from './session-cookie.js';
import { viewSession } from './view.js';

/** Sets the cookies of a new session. The browser keeps only one session, so its earlier session ends. */
export async function respondWithSession(
  ctx: ApiContext,
  request: Request,
  { status, token }: { status: number; token: string },
): Promise<RouteResponse> {
  await endSession(ctx, request);
  const caller = await ctx.authenticateSession(token);
  if (!caller) throw new Error('The new session does not exist');
  const cookies = [sessionCookie(ctx, token), deviceCookie(ctx, ctx.knownDevices.issue(caller.user.email))];
  return { status, body: viewSession(ctx, caller), headers: { 'Set-Cookie': cookies } };
}
