import { Anchor, Button, Stack } from '@mantine/core';
import type { Message, ResetPasswordRequest } from '@posthorn/contract';
import { getRouteApi, Link } from '@tanstack/react-router';
import { queryString } from '../api/query-string';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { Page } from '../ui/page';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { DeadLink, isOfDeadLink } from './dead-link';
import { PasswordField } from './password-field';
import { startOver } from './start-over';
import { useLinkToken } from './use-link-token';

const page = getRouteApi('/auth-layout/reset-password');

export function ResetPasswordPage() {
  const token = useLinkToken(page.useSearch().token);
  return (
    <Page title="Set a new password" description="All sessions of your account end, and you log in with the new one.">
      {token === undefined ? <NoLink /> : <ResetForm token={token} />}
    </Page>
  );
}

function ResetForm({ token }: { readonly token: string }) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { password: '' },
    submit: ({ password }) =>
      request<Message>('POST', '/auth/reset', { token, password } satisfies ResetPasswordRequest),
    onDone: () => startOver(`/login${queryString({ notice: 'reset' })}`),
  });
  if (isOfDeadLink(problem)) return <NoLink />;
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <AuthProblem error={problem} />
        <PasswordField label="New password" autoComplete="new-password" autoFocus {...form.getInputProps('password')} />
        <Button type="submit" loading={pending} fullWidth>
          Set the password
        </Button>
      </Stack>
    </ApiForm>
  );
}

function NoLink() {
  return (
    <DeadLink>
      It was used already, is older than an hour, or is not whole.{' '}
      <Anchor component={Link} to="/forgot-password" size="sm" underline="always">
        Ask for a new link
      </Anchor>
    </DeadLink>
  );
}
