import type { Domain } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { domainPath, domainQuery, domainsQuery } from './queries';

export type VerifyChange = { readonly before: Domain; readonly after: Domain };

/** Checks DNS now and returns the domain before and after the check, to show what changed. */
export function useVerify(domain: Domain) {
  const queryClient = useQueryClient();
  const { queryKey } = domainQuery(domain.id);
  return useMutation({
    mutationFn: async (): Promise<VerifyChange> => ({
      before: domain,
      after: await request<Domain>('POST', `${domainPath(domain.id)}/verify`),
    }),
    onSuccess: async ({ after }) => {
      // A refetch that started before the check would bring back the old status.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, after);
      void queryClient.invalidateQueries(domainsQuery);
    },
    onError: () => queryClient.invalidateQueries({ queryKey }),
  });
}

export type Verify = ReturnType<typeof useVerify>;
