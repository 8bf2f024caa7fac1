import { Stack, Switch } from '@mantine/core';
import type { Domain, UpdateDomainRequest } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useIsOwner } from '../accounts/workspaces';
import { request } from '../api/request';
import { notifyDone, notifyProblem } from '../ui/notify';
import { Section } from '../ui/section';
import { domainPath, domainQuery } from './queries';

/** Whether emails from the domain record opens and clicks. Shown only if the server can record them. */
export function TrackingSettings({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const change = useChange(domain);
  return (
    <Section
      title="Opens and clicks"
      description="Applies to emails that you send from now on. In many countries, you need the consent of the recipients."
    >
      <Stack>
        <Switch
          label="Record opens"
          description="An invisible image tells when the email is shown. Some mail clients always load it, others never."
          checked={domain.track_opens}
          disabled={!isOwner || change.isPending}
          onChange={({ currentTarget }) => change.mutate({ track_opens: currentTarget.checked })}
        />
        <Switch
          label="Record clicks"
          description="Links lead through this server, except for those with the attribute data-no-track."
          checked={domain.track_clicks}
          disabled={!isOwner || change.isPending}
          onChange={({ currentTarget }) => change.mutate({ track_clicks: currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}

function useChange({ id }: Domain) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateDomainRequest) => request<Domain>('PATCH', domainPath(id), body),
    onSuccess: async (changed) => {
      const { queryKey } = domainQuery(id);
      // A refetch that started before the change would bring back the old setting.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, changed);
      notifyDone('Saved. This applies to emails that you send from now on.');
    },
    onError: notifyProblem,
  });
}
