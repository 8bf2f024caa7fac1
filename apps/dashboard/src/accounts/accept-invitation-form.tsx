import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { AcceptInvitationRequest, Invitation, Session } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { InvalidLink, isInvalidLink } from './invalid-link';
import { PasswordField } from './password-field';
import { reloadAllTabs } from './reload-all-tabs';
import { sessionQuery } from './session';

type Props = { readonly token: string; readonly invitation: Invitation };

const roles = {
  owner: 'an owner, which lets you manage members, API keys and domains',
  member: 'a member',
} as const;

export function AcceptInvitationForm({ token, invitation }: Props) {
  const { email, role, workspace, has_account: hasAccount } = invitation;
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { password: '' },
    submit: ({ password }) =>
      request<Session>('POST', '/auth/accept-invitation', { token, password } satisfies AcceptInvitationRequest),
    onDone: () => reloadAllTabs(),
  });
  const { data: session } = useQuery(sessionQuery);
  if (isInvalidLink(problem)) return <InvalidLink>This invitation was just accepted or revoked.</InvalidLink>;
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <Text className="breakable">
          You have been invited to join <b>{workspace.name}</b> as {roles[role]}.
        </Text>
        {session && session.user.email !== email && (
          <Text size="sm" className="breakable">
            You are logged in as {session.user.email}. If you join, you will be logged out and logged in as {email}.
          </Text>
        )}
        <AuthProblem error={problem} />
        <TextInput label="Email" type="email" autoComplete="username" value={email} readOnly variant="filled" />
        <PasswordField
          label={hasAccount ? 'Your password' : 'Choose a password'}
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          autoFocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={pending} fullWidth>
          Join workspace
        </Button>
      </Stack>
    </ApiForm>
  );
}
