import type { Session } from '@posthorn/contract';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { get, isApiError } from '../api/request';

const sessionKey = ['session'] as const;

/**
 * Who is logged in; null for nobody. Where somebody was, and the session is over, it fails and keeps what
 * was read: pages that need a session stay whole until they are left.
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

/** Of the pages that a person must be logged in for: the router has seen to it. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('You must be logged in to view this page.');
  return data;
}
