import { Button, Stack, Text } from '@mantine/core';
import type { LogInRequest, Message, Session, VerifyEmailRequest } from '@posthorn/contract';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { EmailField } from './email-field';
import { isInvalidLink } from './invalid-link';
import { PasswordField } from './password-field';

type Props = {
  readonly token: string;
  /** The address of the user who is logged in, or null. */
  readonly loggedInAs: string | null;
  readonly onVerified: () => void;
  readonly onInvalid: () => void;
};

/** Confirms the address. Users without a session log in first. */
export function VerifyEmailForm({ token, loggedInAs, onVerified, onInvalid }: Props) {
  const { form, problem, pending, onSubmit } = useApiForm({
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
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <AuthProblem error={problem} />
        {loggedInAs === null ? (
          <>
            <Text>Log in with the password that you chose when you signed up.</Text>
            <EmailField {...form.getInputProps('email')} />
            <PasswordField label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          </>
        ) : (
          <Text className="breakable">
            You are logged in as <b>{loggedInAs}</b>. Confirm that you created this account and that the address is
            yours.
          </Text>
        )}
        <Button type="submit" loading={pending} fullWidth>
          {loggedInAs === null ? 'Log in and confirm' : 'Confirm email address'}
        </Button>
      </Stack>
    </ApiForm>
  );
}

function verify(token: string): Promise<Message> {
  return request('POST', '/auth/verify-email', { token } satisfies VerifyEmailRequest);
}
