import type {
  ForgotPasswordRequest,
  LogInRequest,
  PasswordReset as PasswordResetJson,
  RejectSignUpRequest,
  ResetPasswordRequest,
  SignUpRequest,
  VerifyEmailRequest,
} from '@posthorn/contract';
import {
  countPasswordReset,
  logIn,
  type PasswordReset,
  readAccountEmail,
  rejectSignUp,
  requestPasswordReset,
  resendVerification,
  resetPassword,
  signUp,
  toWorkspaceName,
  verifyEmail,
} from '@posthorn/domain/accounts';
import { findMixedScriptWord } from '@posthorn/domain/format';
import { limits, MIN_PASSWORD_CHARACTERS } from '@posthorn/domain/limits';
import Joi from 'joi';
import { findIpAddress, toClientAddress } from '../http/client-address.js';
import { buildExpiredSessionCookie } from '../http/cookies.js';
import { assertSession } from '../routing/caller.js';
import { defineRoute } from '../routing/route.js';
import { buildAddress, buildName } from '../validation/field-schemas.js';
import {
  buildSystemMailer,
  endSession,
  findSession,
  respondWithSession,
  toLoginClient,
  viewMessage,
  viewSession,
} from './session.js';

export const newEmail = buildAddress(readAccountEmail);

/** Not validated as an address, so that an invalid one gets the same response as an unknown one. */
const email = Joi.string().max(limits.address.max);

/**
 * The password of an existing account. It has no minimum length, because the minimum may have been lower when the
 * password was set.
 */
export const password = Joi.string().max(limits.password.max);

export const newPassword = password.min(MIN_PASSWORD_CHARACTERS);

/** Mails from the service and members' pages show it, so it must not look like another name. */
export const workspaceName = buildName(limits.workspaceName.max).custom((text: string, helpers) => {
  const word = findMixedScriptWord(text);
  return word === null ? text : helpers.error('text.scripts', { word });
});

export const token = Joi.string().max(100);

export const signUpBody = Joi.object<SignUpRequest>({
  email: newEmail.required(),
  password: newPassword.required(),
  workspace_name: workspaceName,
});

export const accountRoutes = [
  defineRoute<SignUpRequest>({
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
      const workspaceName = body.workspace_name ?? toWorkspaceName(body.email);
      const client = { peer: toClientAddress(request), ip: findIpAddress(request) };
      const token = await signUp(ctx, { ...body, ...client, workspaceName, sendMail: buildSystemMailer(ctx) });
      return respondWithSession(ctx, request, { status: 201, token });
    },
  }),

  defineRoute<LogInRequest>({
    operationId: 'logIn',
    method: 'post',
    path: '/auth/login',
    access: 'public',
    summary: 'Log in; the response sets the session cookie',
    setsCookie: true,
    problems: ['invalid_login', 'conflict'],
    body: Joi.object<LogInRequest>({
      email: email.required(),
      password: password.required(),
    }),
    async handle(ctx, { body, request }) {
      const token = await logIn(ctx, { ...body, ...toLoginClient(ctx, request) });
      return respondWithSession(ctx, request, { status: 200, token });
    },
  }),

  defineRoute({
    operationId: 'logOut',
    method: 'post',
    path: '/auth/logout',
    access: 'public',
    summary: 'Log out and end the session, if there is one',
    setsCookie: true,
    success: 204,
    async handle(ctx, { request }) {
      await endSession(ctx, request);
      return { status: 204, headers: { 'Set-Cookie': buildExpiredSessionCookie(ctx) } };
    },
  }),

  defineRoute({
    operationId: 'getSession',
    method: 'get',
    path: '/auth/session',
    access: 'session',
    summary: 'Retrieve the user and workspace of the session',
    async handle(ctx, { caller }) {
      return { status: 200, body: viewSession(ctx, assertSession(caller)) };
    },
  }),

  defineRoute<ForgotPasswordRequest>({
    operationId: 'forgotPassword',
    method: 'post',
    path: '/auth/forgot',
    access: 'public',
    summary: 'Request an email with a link to reset the password; the link works once and expires after an hour',
    success: 202,
    body: Joi.object<ForgotPasswordRequest>({ email: email.required() }),
    async handle(ctx, { body, request }) {
      await countPasswordReset(ctx, toClientAddress(request));
      await requestPasswordReset(ctx, { email: body.email, sendMail: buildSystemMailer(ctx) });
      return {
        status: 202,
        body: viewMessage('If an account uses this address, an email with a reset link is on its way.'),
      };
    },
  }),

  defineRoute<ResetPasswordRequest>({
    operationId: 'resetPassword',
    method: 'post',
    path: '/auth/reset',
    access: 'public',
    summary: 'Reset the password with the token from an emailed link; this ends every session of the account',
    problems: ['conflict'],
    body: Joi.object<ResetPasswordRequest>({
      token: token.required(),
      password: newPassword.required(),
    }),
    async handle(ctx, { body, request }) {
      const client = { ...toLoginClient(ctx, request), ip: findIpAddress(request) };
      const reset = await resetPassword(ctx, { ...body, ...client });
      return { status: 200, body: viewPasswordReset(reset) };
    },
  }),
];

/** The token in the emailed link is the credential for the public routes. */
export const verificationRoutes = [
  defineRoute<VerifyEmailRequest>({
    operationId: 'verifyEmail',
    method: 'post',
    path: '/auth/verify-email',
    access: 'public',
    summary: 'Confirm the email address of an account with the token from an emailed link',
    problems: ['conflict'],
    body: Joi.object<VerifyEmailRequest>({ token: token.required() }),
    async handle(ctx, { body: { token }, request }) {
      const session = await findSession(ctx, request);
      await verifyEmail(ctx, { token, loggedInAs: session?.user.id ?? null });
      return {
        status: 200,
        body: viewMessage('Your email address is confirmed. You can now send to any address and invite members.'),
      };
    },
  }),

  defineRoute<RejectSignUpRequest>({
    operationId: 'rejectSignUp',
    method: 'post',
    path: '/auth/reject-signup',
    access: 'public',
    summary:
      'Delete an account that someone else created with your email address, using the token from an emailed link',
    body: Joi.object<RejectSignUpRequest>({ token: token.required() }),
    async handle(ctx, { body: { token } }) {
      await rejectSignUp(ctx, token);
      return {
        status: 200,
        body: viewMessage('The account has been deleted, and so will be everything in its workspace.'),
      };
    },
  }),

  defineRoute({
    operationId: 'resendVerification',
    method: 'post',
    path: '/auth/resend-verification',
    access: 'session',
    summary:
      'Request another email with a link that confirms your email address; the link works once and expires after 24 hours',
    success: 202,
    problems: ['conflict'],
    async handle(ctx, { caller, request }) {
      await resendVerification(ctx, {
        caller: assertSession(caller),
        peer: toClientAddress(request),
        sendMail: buildSystemMailer(ctx),
      });
      return { status: 202, body: viewMessage('An email with a new link is on its way.') };
    },
  }),
];

function viewPasswordReset({ beginsNewWorkspace }: PasswordReset): PasswordResetJson {
  const detail = 'Your new password is set. You can log in now.';
  const because =
    'Nobody had confirmed this email address before, so someone else could have created the account. To be safe, your account has a new, empty workspace, and the earlier one is deleted.';
  return { ...viewMessage(beginsNewWorkspace ? `${detail} ${because}` : detail), new_workspace: beginsNewWorkspace };
}
