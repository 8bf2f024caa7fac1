import { Stack } from '@mantine/core';
import type { UpdateWebhookRequest, Webhook } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { webhookPath, webhooksKey } from './queries';
import { WebhookFields } from './webhook-fields';
import { toSettings, valuesOf } from './webhook-values';

type Props = { readonly webhook: Webhook; readonly onClose: () => void };

export function EditWebhookForm({ webhook, onClose }: Props) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: valuesOf(webhook),
    submit: (values) =>
      request<Webhook>('PATCH', webhookPath(webhook.id), toSettings(values) satisfies UpdateWebhookRequest),
    onDone: async () => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      notifyDone('The webhook was changed.');
      onClose();
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <WebhookFields form={form} />
        <ProblemAlert error={problem} />
        <FormActions action="Save changes" pending={pending} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}
