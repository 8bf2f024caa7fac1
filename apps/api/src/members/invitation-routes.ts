import type { AcceptInvitationRequest, ReadInvitationRequest } from '@posthorn/contract';
import { acceptInvitation, readInvitation } from '@posthorn/domain';
import { loginClientOf } from '../accounts/login-client.js';
import { respondWithSession } from '../accounts/respond-with-session.js';
import { route } from '../route.js';
import { acceptInvitationBody, readInvitationBody } from './request.js';
import { viewInvitation } from './view.js';

/** These routes are public, because the token in the emailed link is the credential. */
export const invitationRoutes = [
  route<ReadInvitationRequest>({
    method: 'post',
    path: '/auth/invitation',
    access: 'public',
    summary: 'Retrieve an invitation by the token from its link; the token stays valid',
    body: readInvitationBody,
    async handle(ctx, { body: { token } }) {
      return { status: 200, body: viewInvitation(await readInvitation(ctx, token)) };
    },
  }),

  route<AcceptInvitationRequest>({
    method: 'post',
    path: '/auth/accept-invitation',
    access: 'public',
    summary:
      "Accept an invitation with the token from its link and the account's password; this creates the account if there is none",
    body: acceptInvitationBody,
    async handle(ctx, { body, request }) {
      const token = await acceptInvitation(ctx, { ...body, ...loginClientOf(ctx, request) });
      return respondWithSession(ctx, request, { status: 200, token });
    },
  }),
];
