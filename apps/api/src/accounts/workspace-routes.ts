import type { SwitchWorkspaceRequest, UpdateWorkspaceRequest } from '@posthorn/contract';
import { listUserWorkspaces, switchWorkspace } from '@posthorn/domain/accounts';
import { Refusal } from '@posthorn/domain/errors';
import { updateWorkspace } from '@posthorn/domain/workspaces';
import { actorOf } from '../audit-log/actor-of.js';
import { route } from '../route.js';
import { switchWorkspaceBody, toWorkspaceChange, updateWorkspaceBody } from './request.js';
import { readSessionToken } from './session-cookie.js';
import { sessionOf } from './session-of.js';
import { viewOwnWorkspace, viewSession, viewWorkspace } from './view.js';

const path = '/api/v1/workspace';

export const workspaceRoutes = [
  route({
    operationId: 'getWorkspace',
    method: 'get',
    path,
    access: 'any',
    summary: 'Retrieve the workspace of the key or session',
    async handle(ctx, { caller }) {
      return { status: 200, body: viewWorkspace(ctx, caller.workspace) };
    },
  }),

  route<UpdateWorkspaceRequest>({
    operationId: 'updateWorkspace',
    method: 'patch',
    path,
    access: 'owner',
    summary: 'Rename the workspace, or set how long its emails are kept; its slug and platform sender do not change',
    body: updateWorkspaceBody,
    async handle(ctx, { caller, body, request }) {
      const actor = actorOf({ caller, request });
      const changed = await updateWorkspace(ctx, actor, caller.workspace, toWorkspaceChange(body));
      return { status: 200, body: viewWorkspace(ctx, changed) };
    },
  }),

  route({
    operationId: 'listWorkspaces',
    method: 'get',
    path: '/auth/workspaces',
    access: 'session',
    summary: 'List the workspaces you belong to, in the order you joined them',
    async handle(ctx, { caller }) {
      const { user, workspace } = sessionOf(caller);
      const workspaces = await listUserWorkspaces(ctx.db, user.id, ctx.config.rateLimitPerMinute);
      const data = workspaces.map((one) => viewOwnWorkspace(ctx, one, workspace.id));
      return { status: 200, body: { object: 'list', data, has_more: false, next_cursor: null } };
    },
  }),

  route<SwitchWorkspaceRequest>({
    operationId: 'switchWorkspace',
    method: 'post',
    path: '/auth/switch',
    access: 'session',
    summary: 'Switch this session to another of your workspaces',
    problems: ['not_found'],
    body: switchWorkspaceBody,
    async handle(ctx, { caller, body, request }) {
      await switchWorkspace(ctx, sessionOf(caller), body.workspace_id);
      const token = readSessionToken(ctx, request);
      const session = token === null ? null : await ctx.authenticateSession(token);
      if (!session) throw new Refusal('unauthenticated', { sessionOnly: true });
      return { status: 200, body: viewSession(ctx, session) };
    },
  }),
];
