import type { QueryClient } from '@tanstack/react-query';
import { apiKeysQuery } from '../api-keys/queries';
import { domainsQuery } from '../domains/queries';
import { emailStatsQuery, handedOverQuery, newestEmailsQuery } from '../emails/queries';
import { templatesQuery } from '../templates/queries';
import { usageQuery } from '../usage/queries';

/**
 * Loads the data that determines the heights of the overview's sections, so that the layout does not jump. A
 * section whose data fails to load shows the error itself.
 */
export async function loadOverview(client: QueryClient): Promise<void> {
  await Promise.all([
    client.prefetchQuery(usageQuery),
    client.prefetchQuery(emailStatsQuery),
    client.prefetchQuery(newestEmailsQuery({ limit: '5' })),
    loadFirstSteps(client),
  ]);
}

async function loadFirstSteps(client: QueryClient): Promise<void> {
  await client.prefetchQuery(handedOverQuery);
  if (client.getQueryData(handedOverQuery.queryKey) !== false) return;
  await Promise.all([
    client.prefetchQuery(apiKeysQuery),
    client.prefetchQuery(domainsQuery),
    client.prefetchQuery(templatesQuery({})),
  ]);
}
