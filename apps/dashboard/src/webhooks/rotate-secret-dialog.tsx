import { NativeSelect, Stack, Text } from '@mantine/core';
import type { RotateWebhookSecretRequest, Webhook, WebhookWithSecret } from '@posthorn/contract';
import { useState } from 'react';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { GuardedModal, type GuardProps } from '../ui/guarded-modal';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { webhookPath } from './queries';
import { WebhookSecret } from './webhook-secret';

const overlaps = [
  { value: '0', label: 'Not at all: every old secret stops within seconds' },
  { value: '3600', label: 'For 1 hour' },
  { value: '86400', label: 'For 1 day' },
  { value: '604800', label: 'For 7 days' },
];

type Props = { readonly webhook: Webhook; readonly opened: boolean; readonly onClose: () => void };

export function RotateSecretDialog({ webhook, ...props }: Props) {
  return (
    <GuardedModal title="Rotate the signing secret" {...props}>
      {(guard) => <Steps webhook={webhook} guard={guard} />}
    </GuardedModal>
  );
}

type StepsProps = { readonly webhook: Webhook; readonly guard: GuardProps };

/** The secret exists only in this state, so that it is gone once the dialog closes. */
function Steps({ webhook, guard }: StepsProps) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <WebhookSecret {...guard} secret={secret} />;
  return (
    <RotateForm
      webhook={webhook}
      onCancel={guard.onClose}
      onRotated={(rotated) => {
        guard.onGuardChange('on');
        setSecret(rotated.secret);
      }}
    />
  );
}

type FormProps = {
  readonly webhook: Webhook;
  readonly onCancel: () => void;
  readonly onRotated: (rotated: WebhookWithSecret) => void;
};

function RotateForm({ webhook: { id }, onCancel, onRotated }: FormProps) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { overlap_seconds: '86400' },
    submit: ({ overlap_seconds: seconds }) =>
      request<WebhookWithSecret>('POST', `${webhookPath(id)}/rotate-secret`, {
        overlap_seconds: Number(seconds),
      } satisfies RotateWebhookSecretRequest),
    onDone: onRotated,
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">
          You get a new secret. Requests can also be signed with the old secret for a while, so your server keeps
          accepting them until you install the new one.
        </Text>
        <NativeSelect
          label="Keep signing with the old secret"
          data={overlaps}
          data-autofocus
          {...form.getInputProps('overlap_seconds')}
        />
        <ProblemAlert error={problem} />
        <FormActions action="Rotate secret" pending={pending} onCancel={onCancel} />
      </Stack>
    </ApiForm>
  );
}
