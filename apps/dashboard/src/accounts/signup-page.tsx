import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { Session, SignUpRequest } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { request } from '../api/request';
import { Page } from '../ui/page';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { startOver } from './session-change';

export function SignupPage() {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { email: '', password: '', workspace_name: '' },
    submit: ({ workspace_name, ...account }) =>
      request<Session>('POST', '/auth/signup', {
        ...account,
        ...(workspace_name.trim() && { workspace_name }),
      } satisfies SignUpRequest),
    onDone: () => startOver(),
  });
  return (
    <Page title="Make an account" description="Free: 3,000 emails a month, up to 100 a day.">
      <form onSubmit={onSubmit}>
        <Stack>
          <ProblemAlert error={problem} />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput label="Password" autoComplete="new-password" required {...form.getInputProps('password')} />
          <TextInput
            label="Workspace"
            description="What you send for: a product, a company. You can change it later."
            autoComplete="organization"
            {...form.getInputProps('workspace_name')}
          />
          <Button type="submit" loading={pending} fullWidth>
            Make the account
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        Already have one?{' '}
        <Anchor component={Link} to="/login">
          Log in
        </Anchor>
      </Text>
    </Page>
  );
}
