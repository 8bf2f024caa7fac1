import { Alert, Button, Stack, Text } from '@mantine/core';
import type { LogInRequest, Message, RejectSignUpRequest, Session, VerifyEmailRequest } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { ChangeButton } from '../ui/buttons';
import { IconCheck } from '../ui/icons';
import { notifyProblem } from '../ui/notify';
import { Page } from '../ui/page';
import { FormSkeleton } from '../ui/skeletons';
import { useChange } from '../ui/use-change';
import { AuthForm, EmailField, InvalidLink, isInvalidLink, PasswordField, useLinkToken } from './auth-fields';
import { reloadAllTabs, sessionQuery } from './session';

const page = getRouteApi('/auth-layout/verify-email');

/**
 * Opening the link confirms nothing yet. The page also requires the account's password or a session, because someone
 * else may have created the account with the reader's address.
 */
export function VerifyEmailPage() {
  const token = useLinkToken(page.useSearch().token);
  return (
    <Page title="Confirm your email address">
      {token === undefined ? <InvalidVerification /> : <LinkContent token={token} />}
    </Page>
  );
}

type Outcome = 'verified' | 'rejected' | 'invalid';

function LinkContent({ token }: { readonly token: string }) {
  const { data: session, isPending } = useQuery(sessionQuery);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  if (isPending) return <FormSkeleton fields={2} />;
  if (outcome === 'verified' || (outcome === 'invalid' && session?.user.email_verified)) return <EmailVerified />;
  if (outcome === 'invalid') return <InvalidVerification />;
  if (outcome === 'rejected') return <AccountRejected />;
  const props = { token, onInvalid: () => setOutcome('invalid') };
  return (
    <>
      <VerifyEmailForm {...props} loggedInAs={session?.user.email ?? null} onVerified={() => setOutcome('verified')} />
      <RejectSignUp {...props} onRejected={() => setOutcome('rejected')} />
    </>
  );
}

function InvalidVerification() {
  return (
    <InvalidLink>
      It may be incomplete, more than 24 hours old, or already used. If your address is not confirmed yet, log in and
      select &quot;Send the link again&quot;.
    </InvalidLink>
  );
}

type VerifyEmailFormProps = {
  readonly token: string;
  readonly loggedInAs: string | null;
  readonly onVerified: () => void;
  readonly onInvalid: () => void;
};

function VerifyEmailForm({ token, loggedInAs, onVerified, onInvalid }: VerifyEmailFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { email: '', password: '' } satisfies LogInRequest,
    async submit(login) {
      if (loggedInAs === null) await request<Session>('POST', '/auth/login', login);
      return verify(token).catch((error) => {
        if (isInvalidLink(error)) onInvalid();
        throw error;
      });
    },
    onDone: onVerified,
  });
  return (
    <AuthForm {...state} action={loggedInAs === null ? 'Log in and confirm' : 'Confirm email address'}>
      {loggedInAs === null ? (
        <>
          <Text size="md">Log in with the password that you chose when you signed up.</Text>
          <EmailField {...form.getInputProps('email')} />
          <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
        </>
      ) : (
        <Text size="md" className="breakable">
          You are logged in as <b>{loggedInAs}</b>. Confirm that you created this account and that the address is yours.
        </Text>
      )}
    </AuthForm>
  );
}

function verify(token: string): Promise<Message> {
  return request('POST', '/auth/verify-email', { token } satisfies VerifyEmailRequest);
}

type RejectSignUpProps = { readonly token: string; readonly onRejected: () => void; readonly onInvalid: () => void };

function RejectSignUp({ token, onRejected, onInvalid }: RejectSignUpProps) {
  const reject = useChange({
    change: () => request<Message>('POST', '/auth/reject-signup', { token } satisfies RejectSignUpRequest),
    question: {
      title: 'Delete this account?',
      text: 'This deletes the account that was created with your email address, and its workspace with everything in it. This cannot be undone.',
      action: 'Delete account',
    },
    onDone: onRejected,
    onProblem: (error) => (isInvalidLink(error) ? onInvalid() : notifyProblem(error)),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Text>
        If you did not create an account here, someone else used your address. Do not confirm it. You can delete that
        account instead.
      </Text>
      <ChangeButton change={reject} label="I did not sign up" size="xs" />
    </Stack>
  );
}

function EmailVerified() {
  return (
    <Stack align="flex-start">
      <Alert role="status" color="green" title="Your email address is confirmed" icon={<IconCheck />} w="100%">
        You can now send to any address and invite members.
      </Alert>
      {/* A reload, so that every tab reads the new state of the account */}
      <Button onClick={() => reloadAllTabs()}>Go to overview</Button>
    </Stack>
  );
}

function AccountRejected() {
  return (
    <Alert role="status" title="The account has been deleted" icon={<IconCheck />}>
      Its workspace is gone too, and cannot send you any more email.
    </Alert>
  );
}
