import { type ReplayWebhookRequest, replayLimits, type WebhookReplay } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { notifyDone, notifyProblem } from '../ui/notify';
import { deliveryLogKey, webhookPath } from './queries';

export function replay(webhookId: string, what: ReplayWebhookRequest): Promise<WebhookReplay> {
  return request<WebhookReplay>('POST', `${webhookPath(webhookId)}/replay`, what);
}

/** Sends events again and says how many. @param none what to say if there are none */
export function useReplayMutation(webhookId: string, none: string) {
  const onDone = useOnReplayed(webhookId, none);
  return useMutation({
    mutationFn: (what: ReplayWebhookRequest) => replay(webhookId, what),
    onSuccess: onDone,
    onError: notifyProblem,
  });
}

/** @returns a function that refreshes the log and says how many events are sent again */
export function useOnReplayed(webhookId: string, none: string) {
  const queryClient = useQueryClient();
  return async ({ events }: WebhookReplay) => {
    await queryClient.invalidateQueries({ queryKey: deliveryLogKey(webhookId) });
    notifyDone(describe(events) ?? none);
  };
}

function describe(events: number): string | null {
  if (events === 0) return null;
  if (events === 1) return '1 event will be sent again.';
  const text = `${events.toLocaleString('en')} events will be sent again.`;
  return events === replayLimits.events ? `${text} There may be more; replay again when these are sent.` : text;
}
