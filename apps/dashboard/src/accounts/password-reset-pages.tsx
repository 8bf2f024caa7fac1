import { Alert, Button, Stack } from '@mantine/core';
import type { ForgotPasswordRequest, Message, PasswordReset, ResetPasswordRequest } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { request, toQueryString } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { IconMail } from '../ui/icons';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, EmailField, InvalidLink, isInvalidLink, PasswordField, useLinkToken } from './auth-fields';
import { reloadAllTabs } from './session';

/** Shows the same text for every address, so that it does not reveal who has an account. */
export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <Page title="Reset your password" description="We will email you a link to set a new password.">
      {sentTo === null ? (
        <RequestLinkForm onSent={setSentTo} />
      ) : (
        <LinkSent email={sentTo} onTryAnother={() => setSentTo(null)} />
      )}
      <TextLink to="/login">Back to login</TextLink>
    </Page>
  );
}

function RequestLinkForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { form, ...state } = useApiForm({
    initialValues: { email: '' } satisfies ForgotPasswordRequest,
    submit: (values) => request<Message>('POST', '/auth/forgot', values),
    onDone: (_, { email }) => onSent(email),
  });
  return (
    <AuthForm {...state} action="Email me a reset link">
      <EmailField {...form.getInputProps('email')} />
    </AuthForm>
  );
}

function LinkSent({ email, onTryAnother }: { readonly email: string; readonly onTryAnother: () => void }) {
  return (
    <Stack align="flex-start">
      <Alert role="status" title="Check your inbox" icon={<IconMail />} w="100%" className="breakable">
        If an account exists for {email}, you will receive a reset link shortly. The link works once and expires in 1
        hour.
      </Alert>
      <Button variant="default" onClick={onTryAnother}>
        Try another address
      </Button>
    </Stack>
  );
}

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
    onDone: ({ new_workspace }) =>
      reloadAllTabs(`/login${toQueryString({ notice: new_workspace ? 'replaced' : 'reset' })}`),
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
