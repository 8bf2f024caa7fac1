import { Modal, Stack, TextInput } from '@mantine/core';
import type { CreateSuppressionRequest, Suppression } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { suppressionsKey, suppressionsPath } from './queries';

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function AddDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Suppress an address">
      <AddForm onClose={onClose} />
    </Modal>
  );
}

function AddForm({ onClose }: Pick<Props, 'onClose'>) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { address: '', topic: '' },
    submit: ({ address, topic }) =>
      request<Suppression>('POST', suppressionsPath, {
        address: address.trim(),
        topic: topic.trim() || null,
      } satisfies CreateSuppressionRequest),
    onDone: async ({ address }) => {
      onClose();
      notifyDone(`${address} is suppressed.`);
      await queryClient.invalidateQueries({ queryKey: suppressionsKey });
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Address"
          placeholder="jane@example.com"
          required
          data-autofocus
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          inputMode="email"
          {...form.getInputProps('address')}
        />
        <TextInput
          label="Topic"
          description="Suppress only mail of this topic. Leave it empty for all mail."
          placeholder="newsletter"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('topic')}
        />
        <ProblemAlert error={problem} />
        <FormActions action="Suppress address" pending={pending} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}
