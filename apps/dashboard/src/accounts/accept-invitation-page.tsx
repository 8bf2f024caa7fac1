import { Text, TextInput } from '@mantine/core';
import {
  type AcceptInvitationRequest,
  dayLimits,
  type Invitation,
  type ReadInvitationRequest,
  type Session,
} from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { FormSkeleton } from '../ui/skeletons';
import { AuthForm, InvalidLink, isInvalidLink, PasswordField, useLinkToken } from './auth-fields';
import { reloadAllTabs, sessionQuery } from './session';

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
      The link may be incomplete or older than {dayLimits.invitation} days, or the invitation may have been accepted,
      revoked or resent with a newer link. Open the link in the email again. If that does not help, ask a workspace
      owner to resend the invitation.
    </InvalidLink>
  );
}

/** Reading an invitation does not use up its link. */
const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('POST', '/auth/invitation', { token } satisfies ReadInvitationRequest),
  });

const roles = {
  owner: 'an owner, which lets you manage members, API keys and domains',
  member: 'a member',
} as const;

function AcceptInvitationForm({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const { email, role, workspace, has_account: hasAccount } = invitation;
  const { form, ...state } = useApiForm({
    initialValues: { password: '' },
    submit: ({ password }) =>
      request<Session>('POST', '/auth/accept-invitation', { token, password } satisfies AcceptInvitationRequest),
    onDone: () => reloadAllTabs(),
  });
  const { data: session } = useQuery(sessionQuery);
  if (isInvalidLink(state.problem)) return <InvalidLink>This invitation was just accepted or revoked.</InvalidLink>;
  return (
    <AuthForm {...state} action="Join workspace">
      <Text size="md" className="breakable">
        You have been invited to join <b>{workspace.name}</b> as {roles[role]}.
      </Text>
      {session && session.user.email !== email && (
        <Text className="breakable">
          You are logged in as {session.user.email}. If you join, you will be logged out and logged in as {email}.
        </Text>
      )}
      <TextInput label="Email" type="email" autoComplete="username" value={email} readOnly variant="filled" />
      <PasswordField
        label={hasAccount ? 'Your password' : 'Choose a password'}
        autoComplete={hasAccount ? 'current-password' : 'new-password'}
        autoFocus
        {...form.getInputProps('password')}
      />
    </AuthForm>
  );
}
