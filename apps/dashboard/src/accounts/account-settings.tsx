import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { AccountSession, ChangePasswordRequest, List, Message } from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, request } from '../api/request';
import { ApiForm, useApiForm } from '../ui/api-form';
import { ChangeButton } from '../ui/buttons';
import { DataTable } from '../ui/data-table';
import { StatusBadge } from '../ui/facts';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';
import { AuthProblem, PasswordField } from './auth-fields';
import { goToLogin, useSession, workspacesQuery } from './session';

export function AccountSettings() {
  const { user } = useSession();
  return (
    <Stack gap="lg">
      <Section
        title="Password"
        description={
          <span className="breakable">
            The password for {user.email}. Changing it ends all your other sessions. You stay logged in here.
          </span>
        }
      >
        <ChangePasswordForm email={user.email} />
      </Section>
      <SessionsSection />
    </Stack>
  );
}

function ChangePasswordForm({ email }: { readonly email: string }) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { current_password: '', new_password: '' } satisfies ChangePasswordRequest,
    submit: (values) => request<Message>('POST', '/auth/password', values),
    onDone: () => void form.reset(),
    done: ({ detail }) => detail,
    refresh: [ownSessionsQuery.queryKey],
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

function SessionsSection() {
  const query = useQuery(ownSessionsQuery);
  const logOut = useChange({
    change: () => request('DELETE', '/auth/sessions'),
    question: {
      title: 'Log out everywhere?',
      text: 'This ends all your sessions immediately, including this one. API keys keep working.',
      action: 'Log out everywhere',
    },
    onDone: goToLogin,
  });
  return (
    <Section
      title="Sessions"
      description="Where you are logged in, across all workspaces. If you do not recognize a session, change your password."
      actions={<ChangeButton change={logOut} label="Log out everywhere" />}
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
        {({ data, has_more: hasMore }) => (
          <>
            <SessionTable sessions={data} />
            {hasMore && <Text mt="sm">Only the newest {data.length} sessions are shown.</Text>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly AccountSession[] }) {
  const { data: workspaces } = useQuery(workspacesQuery);
  const findName = (id: string) => workspaces?.data.find((workspace) => workspace.id === id)?.name;
  return (
    <DataTable
      scrollBelow={480}
      verticalSpacing="xs"
      rows={sessions}
      columns={[
        { name: 'Logged in', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
        { name: 'Last seen', cell: ({ last_seen_at }) => <RelativeTime value={last_seen_at} /> },
        { name: 'Workspace', isBreakable: true, cell: ({ workspace_id }) => findName(workspace_id) },
        {
          name: 'Browser',
          cell: ({ current }) => (current ? <StatusBadge color="green" label="This browser" /> : 'Another browser'),
        },
      ]}
    />
  );
}

/** The user's own sessions, newest first. One page of 100 is plenty to review. */
const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => get<List<AccountSession>>('/auth/sessions?limit=100'),
});
