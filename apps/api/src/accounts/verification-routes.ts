import type { RejectSignUpRequest, VerifyEmailRequest } from '@posthorn/contract';
import { rejectSignUp, resendVerification, verifyEmail } from '@posthorn/domain/accounts';
import { clientAddressOf } from '../http/client-address.js';
import { route } from '../route.js';
import { optionalSession } from './optional-session.js';
import { rejectSignUpBody, verifyEmailBody } from './request.js';
import { sessionOf } from './session-of.js';
import { systemMailer } from './system-mailer.js';
import { viewMessage } from './view.js';

/** The token in the emailed link is the credential for the public routes. */
export const verificationRoutes = [
  route<VerifyEmailRequest>({
    operationId: 'verifyEmail',
    method: 'post',
    path: '/auth/verify-email',
    access: 'public',
    summary: 'Confirm the email address of an account with the token from an emailed link',
    problems: ['conflict'],
    body: verifyEmailBody,
    async handle(ctx, { body: { token }, request }) {
      const session = await optionalSession(ctx, request);
      await verifyEmail(ctx, { token, loggedInAs: session?.user.id ?? null });
      return {
        status: 200,
        body: viewMessage('Your email address is confirmed. You can now send to any address and invite members.'),
      };
    },
  }),

  route<RejectSignUpRequest>({
    operationId: 'rejectSignUp',
    method: 'post',
    path: '/auth/reject-signup',
    access: 'public',
    summary:
      'Delete an account that someone else created with your email address, using the token from an emailed link',
    body: rejectSignUpBody,
    async handle(ctx, { body: { token } }) {
      await rejectSignUp(ctx, token);
      return { status: 200, body: viewMessage('The account and its workspace have been deleted.') };
    },
  }),

  route({
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
        caller: sessionOf(caller),
        peer: clientAddressOf(request),
        sendMail: systemMailer(ctx),
      });
      return { status: 202, body: viewMessage('An email with a new link is on its way.') };
    },
  }),
];
