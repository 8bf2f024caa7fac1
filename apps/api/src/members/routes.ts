import type { ChangeRoleRequest, InviteMemberRequest } from '@posthorn/contract';
import {
  type Caller,
  changeRole,
  type Inviter,
  inviteMember,
  listMembers,
  memberNotFound,
  removeMember,
  resendInvitation,
} from '@posthorn/domain/accounts';
import { isId } from '@posthorn/platform/values';
import { sessionOf } from '../accounts/session-of.js';
import { systemMailer } from '../accounts/system-mailer.js';
import { actorOf } from '../audit-log/actor-of.js';
import type { ApiContext } from '../context.js';
import { type RouteRequest, route } from '../route.js';
import { changeRoleBody, inviteMemberBody } from './request.js';
import { viewMember } from './view.js';

const path = '/api/v1/members';

export const memberRoutes = [
  route<InviteMemberRequest>({
    operationId: 'inviteMember',
    method: 'post',
    path,
    access: 'owner',
    summary: 'Invite someone to the workspace by email; the link works for 7 days',
    success: 201,
    problems: ['account_not_verified', 'conflict'],
    body: inviteMemberBody,
    async handle(ctx, { caller, body, request }) {
      const invited = await inviteMember(ctx, actorOf({ caller, request }), { ...toInviter(ctx, caller), ...body });
      return { status: 201, body: viewMember(invited, ctx.now()) };
    },
  }),

  route({
    operationId: 'listMembers',
    method: 'get',
    path,
    access: 'session',
    summary: 'List invitations, then members, each newest first',
    async handle(ctx, { caller }) {
      const members = await listMembers(ctx, caller.workspace.id);
      const data = members.map((member) => viewMember(member, ctx.now()));
      return { status: 200, body: { object: 'list', data, has_more: false, next_cursor: null } };
    },
  }),

  route<ChangeRoleRequest>({
    operationId: 'changeRole',
    method: 'patch',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Change the role of a member or of an invitation',
    problems: ['conflict'],
    body: changeRoleBody,
    async handle(ctx, { caller, body, params, request }) {
      const member = await changeRole(ctx, actorOf({ caller, request }), {
        workspaceId: caller.workspace.id,
        id: memberIdOf(params),
        role: body.role,
      });
      return { status: 200, body: viewMember(member, ctx.now()) };
    },
  }),

  route({
    operationId: 'resendInvitation',
    method: 'post',
    path: `${path}/:id/resend`,
    access: 'owner',
    summary: 'Resend an invitation with a new link; the earlier link stops working',
    problems: ['conflict', 'account_not_verified'],
    async handle(ctx, { caller, params, request }) {
      const invited = await resendInvitation(ctx, actorOf({ caller, request }), {
        ...toInviter(ctx, caller),
        id: memberIdOf(params),
      });
      return { status: 200, body: viewMember(invited, ctx.now()) };
    },
  }),

  route({
    operationId: 'removeMember',
    method: 'delete',
    path: `${path}/:id`,
    access: 'session',
    summary: 'Remove a member or an invitation as an owner, or leave the workspace yourself',
    problems: ['owner_required', 'conflict'],
    async handle(ctx, { caller, params, request }) {
      const id = memberIdOf(params);
      await removeMember(ctx, actorOf({ caller, request }), { caller: sessionOf(caller), id });
      return { status: 200, body: { object: 'member', id, deleted: true } };
    },
  }),
];

function toInviter(ctx: ApiContext, caller: Caller): Inviter {
  return { caller: sessionOf(caller), sendMail: systemMailer(ctx) };
}

/** @throws Refusal not_found for a malformed id, just as for an unknown one */
function memberIdOf({ id = '' }: RouteRequest['params']): string {
  if (!isId(id)) throw memberNotFound();
  return id.toLowerCase();
}
