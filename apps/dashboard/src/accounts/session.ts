import type { OwnWorkspace, Session } from '@posthorn/contract';
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { get, isApiError } from '../api/request';

/** Who is logged in; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => get<Session>('/auth/session').catch(nobody),
  staleTime: 60_000,
});

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: () => get<{ data: OwnWorkspace[] }>('/auth/workspaces'),
  staleTime: 60_000,
});

/** Of the pages that a person must be logged in for: the router has seen to it. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('This page is for people who are logged in');
  return data;
}

/** Owners alone manage members, keys and domains; false as long as we do not know. */
export function useIsOwner(): boolean {
  const { data } = useQuery(workspacesQuery);
  return data?.data.some(({ current, role }) => current && role === 'owner') ?? false;
}

function nobody(error: unknown): null {
  if (isApiError(error, 'unauthenticated')) return null;
  throw error;
}
