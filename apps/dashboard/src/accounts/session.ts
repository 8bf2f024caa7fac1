import type { Session } from '@posthorn/contract';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { get, isApiError } from '../api/request';

const sessionKey = ['session'] as const;

/**
 * The current session, or null for a visitor. When a known session ends, the query fails and keeps its data,
 * so that pages can still render until the login page replaces them.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ client }): Promise<Session | null> =>
    get<Session>('/auth/session').catch((error) => {
      if (isApiError(error, 'unauthenticated') && !client.getQueryData(sessionKey)) return null;
      throw error;
    }),
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
});

/** For pages of the app layout, which the router opens only with a session. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('You must be logged in to view this page.');
  return data;
}
