import { Alert, Stack, Text } from '@mantine/core';
import type { LogInRequest, Session } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, EmailField, PasswordField } from './auth-fields';
import { loginNotices } from './login-search';
import { reloadAllTabs } from './session';

const page = getRouteApi('/auth-layout/login');

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
        <Alert role="status" title={loginNotices[notice].title}>
          {loginNotices[notice].text}
        </Alert>
      )}
      <AuthForm {...state} action="Log in">
        <EmailField {...form.getInputProps('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
      </AuthForm>
      <Stack gap="xs">
        <TextLink to="/forgot-password" size="sm">
          Forgot your password?
        </TextLink>
        <Text size="sm">
          New here?{' '}
          <TextLink to="/signup" underline="always">
            Create an account
          </TextLink>
        </Text>
      </Stack>
    </Page>
  );
}
