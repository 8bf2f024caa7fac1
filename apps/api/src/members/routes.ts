import {
  type AcceptInvitationRequest,
  type ChangeRoleRequest,
  type Invitation as InvitationJson,
  type InviteMemberRequest,
  type Member as MemberJson,
  type ReadInvitationRequest,
  roles,
} from '@posthorn/contract';
import {
  acceptInvitation,
  type Caller,
  changeRole,
  type InvitationDetails,
  type Inviter,
  inviteMember,
  listMembers,
  type Member,
  readInvitation,
  refuseUnknownMember,
  removeMember,
  resendInvitation,
} from '@posthorn/domain/accounts';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { newEmail, password, token } from '../accounts/routes.js';
import { buildSystemMailer, respondWithSession, toLoginClient } from '../accounts/session.js';
import type { ApiContext } from '../context/api-context.js';
import { findIpAddress } from '../http/client-address.js';
import { assertSession, toActor } from '../routing/caller.js';
import { viewList } from '../routing/lists.js';
import { defineRoute, type RouteRequest } from '../routing/route.js';

const role = Joi.valid(...roles);

export const changeRoleBody = Joi.object<ChangeRoleRequest>({ role: role.required() });

const path = '/api/v1/members';

export const memberRoutes = [
  defineRoute<InviteMemberRequest>({
    operationId: 'inviteMember',
    method: 'post',
    path,
    access: 'owner',
    summary: 'Invite someone to the workspace by email; the link works for 7 days',
    success: 201,
    problems: ['account_not_verified', 'conflict'],
    body: Joi.object<InviteMemberRequest>({
      email: newEmail.required(),
      role: role.required(),
    }),
    async handle(ctx, { caller, body, request }) {
      const invited = await inviteMember(ctx, toActor({ caller, request }), { ...toInviter(ctx, caller), ...body });
      return { status: 201, body: viewMember(invited, ctx.now()) };
    },
  }),

  defineRoute({
    operationId: 'listMembers',
    method: 'get',
    path,
    access: 'session',
    summary: 'List invitations, then members, each newest first',
    async handle(ctx, { caller }) {
      const members = await listMembers(ctx, caller.workspace.id);
      const page = { rows: members, nextCursor: null };
      return { status: 200, body: viewList(page, (member) => viewMember(member, ctx.now())) };
    },
  }),

  defineRoute<ChangeRoleRequest>({
    operationId: 'changeRole',
    method: 'patch',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Change the role of a member or of an invitation',
    problems: ['conflict'],
    body: changeRoleBody,
    async handle(ctx, { caller, body, params, request }) {
      const member = await changeRole(ctx, toActor({ caller, request }), {
        workspaceId: caller.workspace.id,
        id: parseMemberId(params),
        role: body.role,
      });
      return { status: 200, body: viewMember(member, ctx.now()) };
    },
  }),

  defineRoute({
    operationId: 'resendInvitation',
    method: 'post',
    path: `${path}/:id/resend`,
    access: 'owner',
    summary: 'Resend an invitation with a new link; the earlier link stops working',
    problems: ['conflict', 'account_not_verified'],
    async handle(ctx, { caller, params, request }) {
      const invited = await resendInvitation(ctx, toActor({ caller, request }), {
        ...toInviter(ctx, caller),
        id: parseMemberId(params),
      });
      return { status: 200, body: viewMember(invited, ctx.now()) };
    },
  }),

  defineRoute({
    operationId: 'removeMember',
    method: 'delete',
    path: `${path}/:id`,
    access: 'session',
    summary: 'Remove a member or an invitation as an owner, or leave the workspace yourself',
    problems: ['owner_required', 'conflict'],
    async handle(ctx, { caller, params, request }) {
      const id = parseMemberId(params);
      await removeMember(ctx, toActor({ caller, request }), { caller: assertSession(caller), id });
      return { status: 200, body: { object: 'member', id, deleted: true } };
    },
  }),
];

function toInviter(ctx: ApiContext, caller: Caller): Inviter {
  return { caller: assertSession(caller), sendMail: buildSystemMailer(ctx) };
}

function parseMemberId({ id = '' }: RouteRequest['params']): string {
  if (!isId(id)) throw refuseUnknownMember();
  return id.toLowerCase();
}

/** These routes are public, because the token in the emailed link is the credential. */
export const invitationRoutes = [
  defineRoute<ReadInvitationRequest>({
    operationId: 'readInvitation',
    method: 'post',
    path: '/auth/invitation',
    access: 'public',
    summary: 'Retrieve an invitation by the token from its link; the token stays valid',
    problems: ['not_found'],
    body: Joi.object<ReadInvitationRequest>({ token: token.required() }),
    async handle(ctx, { body: { token } }) {
      return { status: 200, body: viewInvitation(await readInvitation(ctx, token)) };
    },
  }),

  defineRoute<AcceptInvitationRequest>({
    operationId: 'acceptInvitation',
    method: 'post',
    path: '/auth/accept-invitation',
    access: 'public',
    summary:
      "Accept an invitation with the token from its link and the account's password; this creates the account if there is none",
    setsCookie: true,
    problems: ['invalid_login', 'not_found', 'conflict', 'storage_limit_exceeded'],
    // The minimum length of the password is not checked here. It applies only to a new account, and the domain
    // package knows whether the account is new.
    body: Joi.object<AcceptInvitationRequest>({
      token: token.required(),
      password: password.required(),
    }),
    async handle(ctx, { body, request }) {
      const token = await acceptInvitation(ctx, {
        ...body,
        ...toLoginClient(ctx, request),
        ip: findIpAddress(request),
      });
      return respondWithSession(ctx, request, { status: 200, token });
    },
  }),
];

export function viewMember(member: Member, now: Date): MemberJson {
  return {
    object: 'member',
    id: member.id,
    email: member.email,
    role: member.role,
    status: getStatus(member, now),
    created_at: member.createdAt.toISOString(),
    expires_at: member.expiresAt?.toISOString() ?? null,
  };
}

function getStatus({ expiresAt }: Member, now: Date): MemberJson['status'] {
  if (expiresAt === null) return 'active';
  return expiresAt > now ? 'invited' : 'expired';
}

function viewInvitation({ invitation, hasAccount }: InvitationDetails): InvitationJson {
  return {
    object: 'invitation',
    email: invitation.email,
    role: invitation.role,
    workspace: { name: invitation.workspaceName },
    has_account: hasAccount,
    expires_at: invitation.expiresAt.toISOString(),
  };
}
