import { Button } from '@mantine/core';
import { useReplay } from './use-replay';

export function ReplayFailedButton({ webhookId }: { readonly webhookId: string }) {
  const replaying = useReplay(webhookId, 'No event has failed or waits to be tried again.');
  return (
    <Button variant="default" loading={replaying.isPending} onClick={() => replaying.mutate({ failed: true })}>
      Replay all failed
    </Button>
  );
}
