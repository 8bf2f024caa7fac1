import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isApiError } from './request';

/**
 * One cache for all pages. Retries requests after network and server errors, but not requests that the API rejected.
 * @param onLoggedOut called when the API no longer accepts the session
 */
export function createQueryClient(onLoggedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isApiError(error, 'unauthenticated')) onLoggedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Sends requests even if the browser believes it is offline: the server may run on this machine, and if it cannot
      // be reached, an error is better than a page that waits without saying why.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
      },
    },
  });
}

function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.problem.status === 0 || error.problem.status >= 500;
}
