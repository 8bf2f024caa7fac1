import { Button, Group, Stack, VisuallyHidden } from '@mantine/core';
import type { ChangePasswordRequest, Message } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { notifyDone } from '../ui/notify';
import { useApiForm } from '../ui/use-api-form';
import { AuthProblem } from './auth-problem';
import { ownSessionsQuery } from './own-sessions-query';
import { PasswordField } from './password-field';

export function ChangePasswordForm({ email }: { readonly email: string }) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { current_password: '', new_password: '' } satisfies ChangePasswordRequest,
    submit: (values) => request<Message>('POST', '/auth/password', values),
    onDone({ detail }) {
      form.reset();
      notifyDone(detail);
      return queryClient.invalidateQueries(ownSessionsQuery);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack maw="28rem">
        <AuthProblem error={problem} />
        {/* Lets password managers match the password to the account */}
        <VisuallyHidden>
          <input type="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-label="Email" />
        </VisuallyHidden>
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...form.getInputProps('current_password')}
        />
        <PasswordField label="New password" autoComplete="new-password" {...form.getInputProps('new_password')} />
        <Group>
          <Button type="submit" loading={pending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}
