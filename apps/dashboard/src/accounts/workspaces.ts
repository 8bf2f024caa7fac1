import type { OwnWorkspace } from '@posthorn/contract';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { get } from '../api/request';

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: () => get<{ data: OwnWorkspace[] }>('/auth/workspaces'),
  staleTime: 60_000,
});

/** Only owners can manage members, API keys and domains. */
export function useIsOwner(): boolean {
  const { data } = useSuspenseQuery(workspacesQuery);
  return data.data.some(({ current, role }) => current && role === 'owner');
}
