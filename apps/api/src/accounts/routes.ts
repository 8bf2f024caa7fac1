import type { ForgotPasswordRequest, LogInRequest, ResetPasswordRequest, SignUpRequest } from '@posthorn/contract';
import { forgotPassword, logIn, resetPassword, signUp } from '@posthorn/domain/accounts';
import { clientAddressOf, ipAddressOf } from '../http/client-address.js';
import { route } from '../route.js';
import { endSession } from './end-session.js';
import { loginClientOf } from './login-client.js';
import { forgotPasswordBody, logInBody, resetPasswordBody, signUpBody } from './request.js';
import { respondWithSession } from './respond-with-session.js';
import { expiredSessionCookie } from './session-cookie.js';
import { sessionOf } from './session-of.js';
import { systemMailer } from './system-mailer.js';
import { viewMessage, viewPasswordReset, viewSession } from './view.js';

export const accountRoutes = [
  route<SignUpRequest>({
    operationId: 'signUp',
    method: 'post',
    path: '/auth/signup',
    access: 'public',
    summary: 'Create an account with its own workspace, email a link that confirms the address, and log in',
    setsCookie: true,
    success: 201,
    problems: ['signup_closed', 'conflict'],
    body: signUpBody,
    async handle(ctx, { body, request }) {
      const workspaceName = body.workspace_name ?? workspaceNameFrom(body.email);
      const client = { peer: clientAddressOf(request), ip: ipAddressOf(request) };
      const token = await signUp(ctx, { ...body, ...client, workspaceName, sendMail: systemMailer(ctx) });
      return respondWithSession(ctx, request, { status: 201, token });
    },
  }),

  route<LogInRequest>({
    operationId: 'logIn',
    method: 'post',
    path: '/auth/login',
    access: 'public',
    summary: 'Log in; the response sets the session cookie',
    setsCookie: true,
    problems: ['invalid_login', 'conflict'],
    body: logInBody,
    async handle(ctx, { body, request }) {
      const token = await logIn(ctx, { ...body, ...loginClientOf(ctx, request) });
      return respondWithSession(ctx, request, { status: 200, token });
    },
  }),

  route({
    operationId: 'logOut',
    method: 'post',
    path: '/auth/logout',
    access: 'public',
    summary: 'Log out and end the session, if there is one',
    setsCookie: true,
    success: 204,
    async handle(ctx, { request }) {
      await endSession(ctx, request);
      return { status: 204, headers: { 'Set-Cookie': expiredSessionCookie(ctx) } };
    },
  }),

  route({
    operationId: 'getSession',
    method: 'get',
    path: '/auth/session',
    access: 'session',
    summary: 'Retrieve the user and workspace of the session',
    async handle(ctx, { caller }) {
      return { status: 200, body: viewSession(ctx, sessionOf(caller)) };
    },
  }),

  route<ForgotPasswordRequest>({
    operationId: 'forgotPassword',
    method: 'post',
    path: '/auth/forgot',
    access: 'public',
    summary: 'Request an email with a link to reset the password; the link works once and expires after an hour',
    success: 202,
    body: forgotPasswordBody,
    async handle(ctx, { body, request }) {
      await ctx.loginLimiter.countReset(clientAddressOf(request));
      await forgotPassword(ctx, { email: body.email, sendMail: systemMailer(ctx) });
      return {
        status: 202,
        body: viewMessage('If an account uses this address, an email with a reset link is on its way.'),
      };
    },
  }),

  route<ResetPasswordRequest>({
    operationId: 'resetPassword',
    method: 'post',
    path: '/auth/reset',
    access: 'public',
    summary: 'Reset the password with the token from an emailed link; this ends every session of the account',
    problems: ['conflict'],
    body: resetPasswordBody,
    async handle(ctx, { body, request }) {
      const client = { ...loginClientOf(ctx, request), ip: ipAddressOf(request) };
      const reset = await resetPassword(ctx, { ...body, ...client, sendMail: systemMailer(ctx) });
      return { status: 200, body: viewPasswordReset(reset) };
    },
  }),
];

/** ada@example.com -> ada */
function workspaceNameFrom(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
