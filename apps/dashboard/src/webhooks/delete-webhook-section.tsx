import { Button } from '@mantine/core';
import type { Deleted, Webhook } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyDone, notifyProblem } from '../ui/notify';
import { Section } from '../ui/section';
import { webhookPath, webhookQuery, webhooksQuery } from './queries';

export function DeleteWebhookSection({ webhook: { id, mode } }: { readonly webhook: Webhook }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => request<Deleted<'webhook'>>('DELETE', webhookPath(id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(webhooksQuery(mode));
      await navigate({ to: '/webhooks', search: mode === 'test' ? { mode } : {} });
      queryClient.removeQueries({ queryKey: webhookQuery(id).queryKey });
      notifyDone('The webhook was deleted.');
    },
    onError: notifyProblem,
  });
  const confirmRemoval = async () => {
    const confirmed = await confirm({
      title: 'Delete this webhook?',
      text: 'Its secret and its delivery log are deleted too, and deliveries that are waiting are not sent. This cannot be undone. To stop sending for a while, disable it instead.',
      action: 'Delete webhook',
    });
    if (confirmed) remove.mutate();
  };
  return (
    <Section title="Delete webhook" description="It gets no more events, and its delivery log is deleted.">
      <Button color="red" variant="outline" loading={remove.isPending} onClick={confirmRemoval}>
        Delete webhook
      </Button>
    </Section>
  );
}
