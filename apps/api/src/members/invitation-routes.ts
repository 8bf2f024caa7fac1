import type { AcceptInvitationRequest, ReadInvitationRequest } from '@posthorn/contract';
import { acceptInvitation, readInvitation } from '@posthorn/domain/accounts';
import { loginClientOf } from '../accounts/login-client.js';
import { respondWithSession } from '../accounts/respond-with-session.js';
import { ipAddressOf } from '../http/client-address.js';
import { route } from '../route.js';
import { acceptInvitationBody, readInvitationBody } from './request.js';
import { viewInvitation } from './view.js';

/** These routes are public, because the token in the emailed link is the credential. */
export const invitationRoutes = [
  route<ReadInvitationRequest>({
    operationId: 'readInvitation',
    method: 'post',
    path: '/auth/invitation',
    access: 'public',
    summary: 'Retrieve an invitation by the token from its link; the token stays valid',
    problems: ['not_found'],
    body: readInvitationBody,
    async handle(ctx, { body: { token } }) {
      return { status: 200, body: viewInvitation(await readInvitation(ctx, token)) };
    },
  }),

  route<AcceptInvitationRequest>({
    operationId: 'acceptInvitation',
    method: 'post',
    path: '/auth/accept-invitation',
    access: 'public',
    summary:
      "Accept an invitation with the token from its link and the account's password; this creates the account if there is none",
    setsCookie: true,
    problems: ['invalid_login', 'not_found', 'conflict'],
    body: acceptInvitationBody,
    async handle(ctx, { body, request }) {
      const token = await acceptInvitation(ctx, { ...body, ...loginClientOf(ctx, request), ip: ipAddressOf(request) });
      return respondWithSession(ctx, request, { status: 200, token });
    },
  }),
];
