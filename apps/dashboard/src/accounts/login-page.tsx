import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { Session } from '@posthorn/contract';
import { getRouteApi, Link } from '@tanstack/react-router';
import { request } from '../api/request';
import { Page } from '../ui/page';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { startOver } from './session-change';

const page = getRouteApi('/outside/login');

export function LoginPage() {
  const { next = '/', ended } = page.useSearch();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { email: '', password: '' },
    submit: (values) => request<Session>('POST', '/auth/login', values),
    onDone: () => startOver(next),
  });
  return (
    <Page title="Log in">
      {ended && <Alert title="Your session has ended">Log in again, and you are back where you were.</Alert>}
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
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={pending} fullWidth>
            Log in
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        <Anchor component={Link} to="/forgot-password">
          Forgotten password?
        </Anchor>
      </Text>
      <Text size="sm" c="dimmed">
        New here?{' '}
        <Anchor component={Link} to="/signup">
          Make an account
        </Anchor>
      </Text>
    </Page>
  );
}
