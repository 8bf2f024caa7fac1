import { Button } from '@mantine/core';
import { useReplayMutation } from './use-replay';

export function ReplayFailedButton({ webhookId }: { readonly webhookId: string }) {
  const replaying = useReplayMutation(webhookId, 'There are no failed or waiting events to replay.');
  return (
    <Button variant="default" loading={replaying.isPending} onClick={() => replaying.mutate({ failed: true })}>
      Replay all failed
    </Button>
  );
}
