import { Alert, Button, Stack } from '@mantine/core';
import type { ForgotPasswordRequest, Message } from '@posthorn/contract';
import { useState } from 'react';
import { request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { IconMail } from '../ui/icons';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, EmailField } from './auth-fields';

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
