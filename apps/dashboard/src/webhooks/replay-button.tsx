import { Button } from '@mantine/core';
import { useReplayMutation } from './use-replay';

type Props = { readonly webhookId: string; readonly eventId: string };

export function ReplayButton({ webhookId, eventId }: Props) {
  const replaying = useReplayMutation(webhookId, 'The event was not found.');
  return (
    <Button
      size="xs"
      variant="default"
      loading={replaying.isPending}
      onClick={() => replaying.mutate({ event_id: eventId })}
    >
      Replay this event
    </Button>
  );
}
