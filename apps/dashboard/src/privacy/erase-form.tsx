import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { Erasure } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { confirm } from '../ui/confirm';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { erasuresQuery, recipientPath } from './queries';

export function EraseForm() {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { address: '' },
    submit: ({ address }) => request<Erasure>('DELETE', recipientPath(address.trim())),
    onDone: async () => {
      form.reset();
      notifyDone('The recipient is being erased.');
      await queryClient.invalidateQueries(erasuresQuery);
    },
  });
  const address = form.values.address.trim();
  const confirmAndSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const confirmed = await confirm({
      title: `Erase ${address}?`,
      text: 'Emails to this address lose their content, subject, tags, attachments and SMTP conversations, for all of their recipients. Emails that are still waiting for this address are canceled. Statuses and counts stay. This cannot be undone.',
      action: 'Erase recipient',
    });
    if (confirmed) onSubmit();
  };
  return (
    <ApiForm onSubmit={confirmAndSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <Group align="flex-start" gap="sm">
          <TextInput
            aria-label="Address to erase"
            type="email"
            required
            placeholder="jane@example.com"
            autoComplete="off"
            flex="1 1 14rem"
            maw="28rem"
            {...form.getInputProps('address')}
          />
          <Button type="submit" color="red" variant="outline" loading={pending} disabled={address === ''}>
            Erase recipient
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}
