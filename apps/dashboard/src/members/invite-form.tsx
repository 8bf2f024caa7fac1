import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { InviteMemberRequest, Member } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { membersPath, membersQuery } from './queries';

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'owner', label: 'Owner' },
];

export function InviteForm() {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm<InviteMemberRequest, Member>({
    initialValues: { email: '', role: 'member' },
    submit: (values) => request('POST', membersPath, values),
    onDone({ email }) {
      form.reset();
      notifyDone(`Invitation sent to ${email}.`);
      void queryClient.invalidateQueries(membersQuery);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <Group align="flex-start" gap="sm">
          <TextInput
            label="Email"
            type="email"
            autoComplete="off"
            required
            withAsterisk={false}
            flex="1 1 14rem"
            maw="28rem"
            {...form.getInputProps('email')}
          />
          <NativeSelect label="Role" data={roles} {...form.getInputProps('role')} />
          <Button type="submit" loading={pending} mt="1.55rem">
            Invite
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}
