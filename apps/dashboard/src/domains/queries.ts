import type { Domain } from '@posthorn/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { get, getAll, toPath } from '../api/request';

const REFRESH_MS = 4_000;

export const domainsPath = '/api/v1/domains';

export const domainsQuery = queryOptions({
  queryKey: ['domains', 'list'],
  queryFn: () => getAll<Domain>(domainsPath),
  refetchInterval: ({ state }) => (state.data?.some(isAwaitingDns) ? REFRESH_MS : false),
});

/** Workers check DNS in the background, so the page refreshes until every required record is in place. */
export const domainQuery = (id: string) =>
  queryOptions({
    queryKey: ['domains', 'one', id],
    queryFn: () => get<Domain>(toPath(domainsPath, id)),
    refetchInterval: ({ state }) => (state.data && isAwaitingDns(state.data) ? REFRESH_MS : false),
  });

/** Shows a changed domain at once. A request that started before the change would bring back the old state. */
export async function showDomain(client: QueryClient, domain: Domain): Promise<void> {
  const { queryKey } = domainQuery(domain.id);
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, domain);
}

/** Whether the next check may verify the domain, one of its required records or a new key. */
function isAwaitingDns({ status, records }: Domain): boolean {
  const hasMissing = records.some((record) => record.required && record.status !== 'verified');
  return status !== 'verified' || hasMissing || records.some(({ key }) => key === 'pending');
}
