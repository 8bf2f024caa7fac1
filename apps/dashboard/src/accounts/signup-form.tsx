import { Button, Stack, TextInput } from '@mantine/core';
import type { Session, SignUpRequest } from '@posthorn/contract';
import { isApiError, request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { EmailField } from './email-field';
import { PasswordField } from './password-field';
import { reloadAllTabs } from './reload-all-tabs';

type Props = {
  /** Called with the server's explanation when sign-up is closed. */
  readonly onClosed: (refusal: string) => void;
};

export function SignupForm({ onClosed }: Props) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { email: '', password: '', workspace_name: '' },
    submit: (values) =>
      signUp(values).catch((error) => {
        if (isApiError(error, 'signup_closed')) onClosed(error.message);
        throw error;
      }),
    onDone: () => reloadAllTabs(),
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <AuthProblem error={problem} />
        <EmailField {...form.getInputProps('email')} />
        <PasswordField label="Password" autoComplete="new-password" {...form.getInputProps('password')} />
        <TextInput
          label="Workspace (optional)"
          description="Usually the name of your product or company. You can rename it later."
          autoComplete="organization"
          {...form.getInputProps('workspace_name')}
        />
        <Button type="submit" loading={pending} fullWidth>
          Create account
        </Button>
      </Stack>
    </ApiForm>
  );
}

function signUp({ workspace_name, ...account }: Required<SignUpRequest>): Promise<Session> {
  const body: SignUpRequest = { ...account, ...(workspace_name.trim() && { workspace_name }) };
  return request('POST', '/auth/signup', body);
}
