import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isApiError } from './request';

/**
 * One cache for all pages. What the API refuses is not asked again; what did not reach it is.
 * @param onLoggedOut the session has ended under a page that needs one
 */
export function createQueryClient(onLoggedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isApiError(error, 'unauthenticated')) onLoggedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
      },
    },
  });
}

function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.problem.status === 0 || error.problem.status >= 500;
}
