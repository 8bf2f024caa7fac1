import type { QueryClient } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { reloadAllTabs } from './reload-all-tabs';
import { sessionQuery } from './session';

/**
 * Opens the login page, which leads back afterwards. Visitors without a session stay where they are.
 * @param href of the page to come back to
 */
export function handleSessionEnd(queryClient: QueryClient, href: string): void {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  reloadAllTabs(`/login${queryString({ next: href, notice: 'ended' })}`);
}
