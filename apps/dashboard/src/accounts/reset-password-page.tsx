import type { PasswordReset, ResetPasswordRequest } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { request, toQueryString } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, InvalidLink, isInvalidLink, PasswordField, useLinkToken } from './auth-fields';
import { reloadAllTabs } from './session';

const page = getRouteApi('/auth-layout/reset-password');

export function ResetPasswordPage() {
  const token = useLinkToken(page.useSearch().token);
  return (
    <Page
      title="Set a new password"
      description="This logs you out everywhere. You can then log in with your new password."
    >
      {token === undefined ? <ExpiredLink /> : <ResetForm token={token} />}
    </Page>
  );
}

function ResetForm({ token }: { readonly token: string }) {
  const { form, ...state } = useApiForm({
    initialValues: { password: '' },
    submit: ({ password }) =>
      request<PasswordReset>('POST', '/auth/reset', { token, password } satisfies ResetPasswordRequest),
    onDone: ({ removed }) =>
      reloadAllTabs(`/login${toQueryString({ notice: removed === null ? 'reset' : 'secured' })}`),
  });
  if (isInvalidLink(state.problem)) return <ExpiredLink />;
  return (
    <AuthForm {...state} action="Set password">
      <PasswordField label="New password" autoComplete="new-password" autoFocus {...form.getInputProps('password')} />
    </AuthForm>
  );
}

function ExpiredLink() {
  return (
    <InvalidLink>
      It may be incomplete, more than 1 hour old, or already used.{' '}
      <TextLink to="/forgot-password" underline="always">
        Request a new link
      </TextLink>
    </InvalidLink>
  );
}
