import { Button } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyDone, notifyProblem } from '../ui/notify';
import { apiKeyPath, apiKeysKey } from './queries';

export function RevokeButton({ apiKey: { id, name, hint } }: { readonly apiKey: ApiKey }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => request('DELETE', apiKeyPath(id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: apiKeysKey });
      notifyDone(`The key ${name} was revoked.`);
    },
    onError: notifyProblem,
  });
  const confirmRevoke = async () => {
    const confirmed = await confirm({
      title: `Revoke ${name}?`,
      text: `Programs that use the key ending in ${hint} will lose access within a second. Emails that were already accepted will still be delivered. This cannot be undone.`,
      action: 'Revoke key',
    });
    if (confirmed) revoke.mutate();
  };
  return (
    <Button
      size="compact-sm"
      color="red"
      variant="subtle"
      loading={revoke.isPending}
      onClick={confirmRevoke}
      aria-label={`Revoke ${name}`}
    >
      Revoke
    </Button>
  );
}
