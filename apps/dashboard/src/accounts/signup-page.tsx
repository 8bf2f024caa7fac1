import { Alert, Text, TextInput } from '@mantine/core';
import type { Session, SignUpRequest } from '@posthorn/contract';
import { useState } from 'react';
import { isApiError, request } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { TextLink } from '../ui/links';
import { Page } from '../ui/page';
import { AuthForm, EmailField, PasswordField } from './auth-fields';
import { reloadAllTabs } from './session';

/** The API reports that sign-up is closed only when someone tries to sign up. */
export function SignupPage() {
  const [refusal, setRefusal] = useState<string | null>(null);
  return (
    <Page title="Create an account" description="Your account comes with a workspace on the Free plan.">
      {refusal === null ? (
        <SignupForm onClosed={setRefusal} />
      ) : (
        <Alert role="alert" title="Sign-up is closed">
          {refusal} If you were invited, open the link in the invitation email instead.
        </Alert>
      )}
      <Text>
        Already have an account?{' '}
        <TextLink to="/login" underline="always">
          Log in
        </TextLink>
      </Text>
    </Page>
  );
}

type SignupFormProps = {
  /** Called with the server's explanation when sign-up is closed. */
  readonly onClosed: (refusal: string) => void;
};

function SignupForm({ onClosed }: SignupFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { email: '', password: '', workspace_name: '' },
    submit: (values) =>
      signUp(values).catch((error) => {
        if (isApiError(error, 'signup_closed')) onClosed(error.message);
        throw error;
      }),
    onDone: () => reloadAllTabs(),
  });
  return (
    <AuthForm {...state} action="Create account">
      <EmailField {...form.getInputProps('email')} />
      <PasswordField label="Password" autoComplete="new-password" {...form.getInputProps('password')} />
      <TextInput
        label="Workspace (optional)"
        description="Usually the name of your product or company. You can rename it later."
        autoComplete="organization"
        {...form.getInputProps('workspace_name')}
      />
    </AuthForm>
  );
}

function signUp({ workspace_name, ...account }: Required<SignUpRequest>): Promise<Session> {
  const body: SignUpRequest = { ...account, ...(workspace_name.trim() && { workspace_name }) };
  return request('POST', '/auth/signup', body);
}
