import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { AcceptInvitationForm } from './accept-invitation-form';
import { DeadLink, isOfDeadLink } from './dead-link';
import { invitationQuery } from './invitation-query';
import { useLinkToken } from './use-link-token';

const page = getRouteApi('/auth-layout/accept-invitation');

export function AcceptInvitationPage() {
  const token = useLinkToken(page.useSearch().token);
  return <Page title="Join a workspace">{token === undefined ? <NoInvitation /> : <Joining token={token} />}</Page>;
}

function Joining({ token }: { readonly token: string }) {
  const query = useQuery(invitationQuery(token));
  if (isOfDeadLink(query.error)) return <NoInvitation />;
  return <Loaded query={query}>{(invitation) => <AcceptInvitationForm {...{ token, invitation }} />}</Loaded>;
}

function NoInvitation() {
  return (
    <DeadLink>
      The address is not whole: open the link in the mail once more. If that does not help, the invitation was accepted
      already, taken back, sent again with a newer link, or is older than a week: ask an owner of the workspace to send
      it again.
    </DeadLink>
  );
}
