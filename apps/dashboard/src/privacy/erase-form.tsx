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
      text: 'Emails that have this address in To, Cc, Bcc or Reply-To lose their subject, content, tags, attachments and SMTP conversations, for all recipients. If an email has not been sent to this address yet, it is canceled for this address only. Statuses and counts stay. This cannot be undone.',
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
