import { NativeSelect, Stack } from '@mantine/core';
import type { CreateWebhookRequest, Mode, WebhookWithSecret } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { webhooksKey, webhooksPath } from './queries';
import { WebhookFields } from './webhook-fields';
import { emptyValues, toSettings } from './webhook-values';

type Props = {
  readonly mode: Mode;
  readonly onCancel: () => void;
  readonly onCreated: (webhook: WebhookWithSecret) => void;
};

export function CreateWebhookForm({ mode, onCancel, onCreated }: Props) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: emptyValues(mode),
    submit: (values) =>
      request<WebhookWithSecret>('POST', webhooksPath, {
        ...toSettings(values),
        mode: values.mode,
      } satisfies CreateWebhookRequest),
    onDone: (created) => {
      void queryClient.invalidateQueries({ queryKey: webhooksKey });
      onCreated(created);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <WebhookFields form={form} />
        <NativeSelect
          label="Mode"
          description="A webhook for test mail gets the events of emails that test keys create."
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
          {...form.getInputProps('mode')}
        />
        <ProblemAlert error={problem} />
        <FormActions action="Create webhook" pending={pending} onCancel={onCancel} />
      </Stack>
    </ApiForm>
  );
}
