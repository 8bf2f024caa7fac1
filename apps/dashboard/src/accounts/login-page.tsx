import { Alert, Stack, Text } from '@mantine/core';
import type { LogInRequest, Session } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, EmailField, PasswordField } from './auth-fields';
import { reloadAllTabs } from './session';

const page = getRouteApi('/auth-layout/login');

/** Why the login page was opened: the session ended, or the password was reset, which may begin a new workspace. */
const notices = {
  ended: { title: 'Your session has ended', text: 'Log in again to continue where you left off.' },
  reset: {
    title: 'Your new password is set',
    text: 'Log in with your new password. You have been logged out everywhere.',
  },
  replaced: {
    title: 'Your new password is set',
    text: 'Nobody had confirmed this email address before, so someone else could have created the account. To be safe, your account has a new, empty workspace, and the earlier one is deleted.',
  },
} as const;

export function LoginPage() {
  const { next = '/', notice } = page.useSearch();
  const { form, ...state } = useApiForm({
    initialValues: { email: '', password: '' } satisfies LogInRequest,
    submit: (values) => request<Session>('POST', '/auth/login', values),
    onDone: () => reloadAllTabs(next),
  });
  return (
    <Page title="Log in">
      {notice && (
        <Alert role="status" title={notices[notice].title}>
          {notices[notice].text}
        </Alert>
      )}
      <AuthForm {...state} action="Log in">
        <EmailField {...form.getInputProps('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
      </AuthForm>
      <Stack gap="xs">
        <TextLink to="/forgot-password">Forgot your password?</TextLink>
        <Text>
          New here?{' '}
          <TextLink to="/signup" underline="always">
            Create an account
          </TextLink>
        </Text>
      </Stack>
    </Page>
  );
}
