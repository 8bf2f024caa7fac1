import type { Mode, WebhookWithSecret } from '@posthorn/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GuardedModal, type GuardProps } from '../ui/guarded-modal';
import { CreateWebhookForm } from './create-webhook-form';
import { WebhookSecret } from './webhook-secret';

type Props = { readonly mode: Mode; readonly opened: boolean; readonly onClose: () => void };

export function CreateWebhookDialog({ mode, ...props }: Props) {
  return (
    <GuardedModal title="Create a webhook" {...props}>
      {(guard) => <Steps mode={mode} guard={guard} />}
    </GuardedModal>
  );
}

/** The secret exists only in this state, so that it is gone once the dialog closes. The webhook's page comes next. */
function Steps({ mode, guard }: { readonly mode: Mode; readonly guard: GuardProps }) {
  const navigate = useNavigate();
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  if (created === null) {
    return (
      <CreateWebhookForm
        mode={mode}
        onCancel={guard.onClose}
        onCreated={(webhook) => {
          guard.onGuardChange('on');
          setCreated(webhook);
        }}
      />
    );
  }
  const showWebhook = () => {
    guard.onGuardChange('off');
    void navigate({ to: '/webhooks/$id', params: { id: created.id }, ignoreBlocker: true });
  };
  return <WebhookSecret {...guard} secret={created.secret} onClose={showWebhook} />;
}
