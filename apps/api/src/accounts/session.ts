import type { Message, Session, Workspace as WorkspaceJson, WorkspacePause } from '@posthorn/contract';
import {
  authenticateSession,
  issueDeviceToken,
  logOut,
  type SessionCaller,
  type SystemMail,
  sendSystemMail,
} from '@posthorn/domain/accounts';
import { mayOwnerResume, toPlatformAddress, type Workspace } from '@posthorn/domain/workspaces';
import type { Request } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { toClientAddress } from '../http/client-address.js';
import {
  buildDeviceCookie,
  buildSessionCookie,
  type CookieContext,
  findDeviceToken,
  findSessionToken,
} from '../http/cookies.js';
import type { RouteResponse } from '../routing/route.js';

/** Sets the cookies of a new session. The browser keeps only one session, so its earlier session ends. */
export async function respondWithSession(
  ctx: ApiContext,
  request: Request,
  { status, token }: { status: number; token: string },
): Promise<RouteResponse> {
  await endSession(ctx, request);
  const caller = await authenticateSession(ctx, token);
  if (!caller) throw new Error('The new session does not exist');
  const cookies = [buildSessionCookie(ctx, token), buildDeviceCookie(ctx, issueDeviceToken(ctx, caller.user.email))];
  return { status, body: viewSession(ctx, caller), headers: { 'Set-Cookie': cookies } };
}

export async function endSession(ctx: ApiContext, request: Request): Promise<void> {
  const token = findSessionToken(ctx, request);
  if (token !== null) await logOut(ctx, token);
}

/** The session of a request to a public route, or null if it has none. */
export async function findSession(ctx: ApiContext, request: Request): Promise<SessionCaller | null> {
  const token = findSessionToken(ctx, request);
  return token === null ? null : authenticateSession(ctx, token);
}

/** Identifies the client when failed logins are counted. */
export function toLoginClient(ctx: CookieContext, request: Request): { peer: string; deviceToken: string | null } {
  return { peer: toClientAddress(request), deviceToken: findDeviceToken(ctx, request) };
}

/** Sends the service's own mail. Domain functions call it to send links by email. */
export function buildSystemMailer(ctx: ApiContext): (mail: SystemMail) => Promise<void> {
  return (mail) => sendSystemMail(ctx.accepting, mail);
}

export type ViewContext = Pick<ApiContext, 'config'>;

export function viewSession(ctx: ViewContext, { user, workspace }: SessionCaller): Session {
  const { object, ...fields } = viewWorkspace(ctx, workspace);
  return { user: { id: user.id, email: user.email, email_verified: user.emailVerified }, workspace: fields };
}

export function viewWorkspace(ctx: ViewContext, workspace: Workspace): WorkspaceJson {
  return {
    object: 'workspace',
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    plan: workspace.allowance.plan.id,
    platform_sender: toPlatformAddress(ctx, workspace),
    content_retention_days: workspace.retention.contentDays,
    email_retention_days: workspace.retention.emailDays,
    paused: viewPause(workspace),
  };
}

export function viewPause({ pause }: Workspace): WorkspacePause | null {
  if (pause === null) return null;
  const { since, reason, by } = pause;
  return { since: since.toISOString(), reason, by, owner_can_resume: mayOwnerResume(pause) };
}

export function viewMessage(detail: string): Message {
  return { object: 'message', detail };
}
