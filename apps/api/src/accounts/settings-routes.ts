import type { ChangePasswordRequest } from '@posthorn/contract';
import { changePassword, listSessions, logOutEverywhere } from '@posthorn/domain/accounts';
import { clientAddressOf } from '../http/client-address.js';
import { type PaginationQuery, toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { changePasswordBody, sessionsQuery } from './request.js';
import { expiredSessionCookie } from './session-cookie.js';
import { sessionOf } from './session-of.js';
import { viewListedSession, viewMessage } from './view.js';

export const settingsRoutes = [
  route<ChangePasswordRequest>({
    operationId: 'changePassword',
    method: 'post',
    path: '/auth/password',
    access: 'session',
    summary: 'Change your password; this ends all your other sessions',
    problems: ['invalid_login'],
    body: changePasswordBody,
    async handle(ctx, { caller, body, request }) {
      await changePassword(ctx, {
        caller: sessionOf(caller),
        currentPassword: body.current_password,
        newPassword: body.new_password,
        peer: clientAddressOf(request),
      });
      return {
        status: 200,
        body: viewMessage('Your password has been changed, and all your other sessions have been logged out.'),
      };
    },
  }),

  route<undefined, PaginationQuery>({
    operationId: 'listSessions',
    method: 'get',
    path: '/auth/sessions',
    access: 'session',
    summary: 'List your sessions, newest first',
    query: sessionsQuery,
    async handle(ctx, { caller, query }) {
      const { id, user } = sessionOf(caller);
      const page = await listSessions(ctx.db, { userId: user.id, now: ctx.now() }, toPagination(query));
      return { status: 200, body: viewList(page, (session) => viewListedSession(session, id)) };
    },
  }),

  route({
    operationId: 'endSessions',
    method: 'delete',
    path: '/auth/sessions',
    access: 'session',
    summary: 'End all your sessions, including this one',
    setsCookie: true,
    success: 204,
    async handle(ctx, { caller }) {
      await logOutEverywhere(ctx, sessionOf(caller).user.id);
      return { status: 204, headers: { 'Set-Cookie': expiredSessionCookie(ctx) } };
    },
  }),
];
