import type { Invitation, ReadInvitationRequest } from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { request } from '../api/request';
import { FormSkeleton } from '../ui/form-skeleton';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { AcceptInvitationForm } from './accept-invitation-form';
import { InvalidLink, isInvalidLink } from './invalid-link';
import { useLinkToken } from './use-link-token';

const page = getRouteApi('/auth-layout/accept-invitation');

export function AcceptInvitationPage() {
  const token = useLinkToken(page.useSearch().token);
  return (
    <Page title="Join a workspace">
      {token === undefined ? <InvalidInvitation /> : <InvitationLoader token={token} />}
    </Page>
  );
}

function InvitationLoader({ token }: { readonly token: string }) {
  const query = useQuery(invitationQuery(token));
  if (isInvalidLink(query.error)) return <InvalidInvitation />;
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
      {(invitation) => <AcceptInvitationForm {...{ token, invitation }} />}
    </Loaded>
  );
}

function InvalidInvitation() {
  return (
    <InvalidLink>
      The link may be incomplete or older than 7 days, or the invitation may have been accepted, revoked or resent with
      a newer link. Open the link in the email again. If that does not help, ask a workspace owner to resend the
      invitation.
    </InvalidLink>
  );
}

/** Reading an invitation does not use up its link. */
const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('POST', '/auth/invitation', { token } satisfies ReadInvitationRequest),
  });
