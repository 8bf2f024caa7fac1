import { Button } from '@mantine/core';
import type { UpdateWebhookRequest, Webhook, WebhookTest } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { notifyDone, notifyProblem } from '../ui/notify';
import { deliveryLogKey, webhookPath, webhooksKey } from './queries';

/** Sends a test event, and enables or disables the webhook. A disabled one gets no test events. */
export function WebhookActions({ webhook: { id, status } }: { readonly webhook: Webhook }) {
  const queryClient = useQueryClient();
  const isEnabled = status === 'enabled';
  const test = useMutation({
    mutationFn: () => request<WebhookTest>('POST', `${webhookPath(id)}/test`),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: deliveryLogKey(id) });
      notifyDone('The test event is on its way. It appears among the deliveries.');
    },
    onError: notifyProblem,
  });
  const change = useMutation({
    mutationFn: () => {
      const changes: UpdateWebhookRequest = { status: isEnabled ? 'disabled' : 'enabled' };
      return request<Webhook>('PATCH', webhookPath(id), changes);
    },
    onSuccess: async (changed) => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      notifyDone(changed.status === 'enabled' ? 'The webhook was enabled.' : 'The webhook was disabled.');
    },
    onError: notifyProblem,
  });
  return (
    <>
      <Button variant={isEnabled ? 'default' : 'filled'} loading={change.isPending} onClick={() => change.mutate()}>
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      {isEnabled && (
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          Send test event
        </Button>
      )}
    </>
  );
}
