import type { Invitation, ReadInvitationRequest } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/request';

/** What a mailed link invites to; reading it does not use it up. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('POST', '/auth/invitation', { token } satisfies ReadInvitationRequest),
  });
