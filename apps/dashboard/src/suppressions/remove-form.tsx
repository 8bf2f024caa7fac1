import { Stack, Text, Textarea } from '@mantine/core';
import { type Suppression, suppressionLimits } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { suppressionsKey, suppressionsPath } from './queries';
import { reasons } from './reasons';

type Props = { readonly suppression: Suppression; readonly onClose: () => void };

export function RemoveForm({ suppression: { id, address, reason }, onClose }: Props) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { because: '' },
    submit: ({ because }) =>
      request('DELETE', `${suppressionsPath}/${encodeURIComponent(id)}${queryString({ because: because.trim() })}`),
    onDone: async () => {
      onClose();
      notifyDone(`The suppression of ${address ?? 'the erased address'} was removed.`);
      await queryClient.invalidateQueries({ queryKey: suppressionsKey });
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">{reasons[reason].removal}</Text>
        {reason === 'complaint' && (
          <Textarea
            label="Why do they want mail again?"
            description="The audit log keeps your answer."
            placeholder="They signed up again on our website"
            required
            data-autofocus
            autosize
            minRows={2}
            maxLength={suppressionLimits.removalReason}
            {...form.getInputProps('because')}
          />
        )}
        <ProblemAlert error={problem} />
        <FormActions action="Remove suppression" color="red" pending={pending} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}
