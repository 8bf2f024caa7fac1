import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { Session, UpdateWorkspaceRequest, Workspace } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../accounts/session';
import { workspacesQuery } from '../accounts/workspaces';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';

export function RenameForm({ name }: { readonly name: string }) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { name } satisfies UpdateWorkspaceRequest,
    submit: (values) => request<Workspace>('PATCH', '/api/v1/workspace', values),
    onDone(renamed) {
      queryClient.setQueryData<Session | null>(
        sessionQuery.queryKey,
        (session) => session && { ...session, workspace: { ...session.workspace, name: renamed.name } },
      );
      void queryClient.invalidateQueries(workspacesQuery);
      form.setInitialValues({ name: renamed.name });
      form.reset();
      notifyDone(`Workspace renamed to ${renamed.name}.`);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <Group align="flex-start" gap="sm">
          <TextInput
            aria-label="Workspace name"
            required
            autoComplete="off"
            flex="1 1 14rem"
            maw="28rem"
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={pending} disabled={!form.isDirty()}>
            Rename
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}
