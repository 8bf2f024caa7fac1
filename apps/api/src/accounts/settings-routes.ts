import type {
  AccountSession,
  ChangePasswordRequest,
  OwnWorkspace as OwnWorkspaceJson,
  ResumeWorkspaceRequest,
  SwitchWorkspaceRequest,
  UpdateWorkspaceRequest,
} from '@posthorn/contract';
import {
  authenticateSession,
  changePassword,
  type ListedSession,
  listSessions,
  listUserWorkspaces,
  logOutEverywhere,
  type OwnWorkspace,
  switchWorkspace,
} from '@posthorn/domain/accounts';
import { resumeOwnWorkspace } from '@posthorn/domain/deliverability';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { updateWorkspace, type WorkspaceChange } from '@posthorn/domain/workspaces';
import Joi from 'joi';
import { toClientAddress } from '../http/client-address.js';
import { buildExpiredSessionCookie, findSessionToken } from '../http/cookies.js';
import { assertSession, toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { buildName } from '../validation/field-schemas.js';
import { newPassword, password, workspaceName } from './routes.js';
import { type ViewContext, viewMessage, viewSession, viewWorkspace } from './session.js';

const retentionDays = Joi.number().integer().min(1).allow(null);

/** Contains only the fields that are in the request. */
function toWorkspaceChange(body: UpdateWorkspaceRequest): WorkspaceChange {
  const { name, content_retention_days: contentDays, email_retention_days: emailDays } = body;
  return {
    ...(name !== undefined && { name }),
    ...(contentDays !== undefined && { contentDays }),
    ...(emailDays !== undefined && { emailDays }),
  };
}

export const settingsRoutes = [
  defineRoute<ChangePasswordRequest>({
    operationId: 'changePassword',
    method: 'post',
    path: '/auth/password',
    access: 'session',
    summary: 'Change your password; this ends all your other sessions',
    problems: ['invalid_login'],
    body: Joi.object<ChangePasswordRequest>({
      current_password: password.required(),
      new_password: newPassword.required(),
    }),
    async handle(ctx, { caller, body, request }) {
      await changePassword(ctx, {
        caller: assertSession(caller),
        currentPassword: body.current_password,
        newPassword: body.new_password,
        peer: toClientAddress(request),
      });
      return {
        status: 200,
        body: viewMessage('Your password has been changed, and all your other sessions have been logged out.'),
      };
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listSessions',
    method: 'get',
    path: '/auth/sessions',
    access: 'session',
    summary: 'List your sessions, newest first',
    query: buildListQuery(),
    async handle(ctx, { caller, query }) {
      const { id, user } = assertSession(caller);
      const page = await listSessions(ctx.db, { userId: user.id, now: ctx.now() }, toPagination(query));
      return { status: 200, body: viewList(page, (session) => viewListedSession(session, id)) };
    },
  }),

  defineRoute({
    operationId: 'endSessions',
    method: 'delete',
    path: '/auth/sessions',
    access: 'session',
    summary: 'End all your sessions, including this one',
    setsCookie: true,
    success: 204,
    async handle(ctx, { caller }) {
      await logOutEverywhere(ctx, assertSession(caller).user.id);
      return { status: 204, headers: { 'Set-Cookie': buildExpiredSessionCookie(ctx) } };
    },
  }),
];

const workspacePath = '/api/v1/workspace';

export const workspaceRoutes = [
  defineRoute({
    operationId: 'getWorkspace',
    method: 'get',
    path: workspacePath,
    access: 'any',
    summary: 'Retrieve the workspace of the key or session',
    async handle(ctx, { caller }) {
      return { status: 200, body: viewWorkspace(ctx, caller.workspace) };
    },
  }),

  defineRoute<UpdateWorkspaceRequest>({
    operationId: 'updateWorkspace',
    method: 'patch',
    path: workspacePath,
    access: 'owner',
    summary: 'Rename the workspace, or set how long its emails are kept; its slug and platform sender do not change',
    body: Joi.object<UpdateWorkspaceRequest>({
      name: workspaceName,
      content_retention_days: retentionDays,
      email_retention_days: retentionDays,
    })
      .min(1)
      .messages({ 'object.min': 'must have at least one of name, content_retention_days and email_retention_days' }),
    async handle(ctx, { caller, body, request }) {
      const actor = toActor({ caller, request });
      const changed = await updateWorkspace(ctx, actor, caller.workspace, toWorkspaceChange(body));
      return { status: 200, body: viewWorkspace(ctx, changed) };
    },
  }),

  defineRoute<ResumeWorkspaceRequest>({
    operationId: 'resumeWorkspace',
    method: 'post',
    path: `${workspacePath}/resume`,
    access: 'owner',
    summary: 'Resume a workspace that was paused because too many of its emails bounced or were marked as spam',
    problems: ['conflict'],
    body: Joi.object<ResumeWorkspaceRequest>({ reason: buildName(limits.resumeReason.max).required() }),
    async handle(ctx, { caller, body, request }) {
      const { id } = caller.workspace;
      await resumeOwnWorkspace(ctx, toActor({ caller, request }), { id, reason: body.reason });
      return { status: 200, body: viewWorkspace(ctx, { ...caller.workspace, pause: null }) };
    },
  }),

  defineRoute({
    operationId: 'listWorkspaces',
    method: 'get',
    path: '/auth/workspaces',
    access: 'session',
    summary: 'List the workspaces you belong to, in the order you joined them',
    async handle(ctx, { caller }) {
      const { user, workspace } = assertSession(caller);
      const workspaces = await listUserWorkspaces(ctx.db, user.id, ctx.config.rateLimitPerMinute);
      const page = { rows: workspaces, nextCursor: null };
      return { status: 200, body: viewList(page, (one) => viewOwnWorkspace(ctx, one, workspace.id)) };
    },
  }),

  defineRoute<SwitchWorkspaceRequest>({
    operationId: 'switchWorkspace',
    method: 'post',
    path: '/auth/switch',
    access: 'session',
    summary: 'Switch this session to another of your workspaces',
    problems: ['not_found'],
    // The domain package checks that the user belongs to the workspace.
    body: Joi.object<SwitchWorkspaceRequest>({ workspace_id: Joi.string().max(limits.idInBody.max).required() }),
    async handle(ctx, { caller, body, request }) {
      await switchWorkspace(ctx, assertSession(caller), body.workspace_id);
      const token = findSessionToken(ctx, request);
      const session = token === null ? null : await authenticateSession(ctx, token);
      if (!session) throw new Refusal('unauthenticated', { sessionOnly: true });
      return { status: 200, body: viewSession(ctx, session) };
    },
  }),
];

function viewOwnWorkspace(ctx: ViewContext, { workspace, role }: OwnWorkspace, currentId: string): OwnWorkspaceJson {
  return { ...viewWorkspace(ctx, workspace), role, current: workspace.id === currentId };
}

function viewListedSession(session: ListedSession, currentId: string): AccountSession {
  return {
    object: 'session',
    id: session.id,
    workspace_id: session.workspaceId,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    current: session.id === currentId,
  };
}
