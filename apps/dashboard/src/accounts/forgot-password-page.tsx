import { Alert, Anchor, Button, Stack } from '@mantine/core';
import type { ForgotPasswordRequest, Message } from '@posthorn/contract';
import { IconMail } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { Page } from '../ui/page';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { EmailField } from './email-field';

/** Says the same for every address: who has an account is nobody else's business. */
export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <Page title="Forgotten password" description="We mail you a link that sets a new one.">
      {sentTo === null ? (
        <RequestLinkForm onSent={setSentTo} />
      ) : (
        <LinkSent email={sentTo} onTryAnother={() => setSentTo(null)} />
      )}
      <Anchor component={Link} to="/login" size="sm">
        Back to the log-in
      </Anchor>
    </Page>
  );
}

function RequestLinkForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { email: '' } satisfies ForgotPasswordRequest,
    submit: (values) => request<Message>('POST', '/auth/forgot', values),
    onDone: (_, { email }) => onSent(email),
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <AuthProblem error={problem} />
        <EmailField {...form.getInputProps('email')} />
        <Button type="submit" loading={pending} fullWidth>
          Mail me a link
        </Button>
      </Stack>
    </ApiForm>
  );
}

function LinkSent({ email, onTryAnother }: { readonly email: string; readonly onTryAnother: () => void }) {
  return (
    <Stack align="flex-start">
      <Alert role="status" title="Look into your inbox" icon={<IconMail aria-hidden />} w="100%" className="breakable">
        If there is an account for {email}, a mail is on its way. The link in it works once, for an hour.
      </Alert>
      <Button variant="default" onClick={onTryAnother}>
        Try another address
      </Button>
    </Stack>
  );
}
