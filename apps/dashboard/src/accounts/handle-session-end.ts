import type { QueryClient } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { reloadAllTabs } from './reload-all-tabs';
import { sessionQuery } from './session';

/**
 * Sends the user to the login page. Does nothing for visitors who had no session.
 * @param href the page to return to after login
 */
export function handleSessionEnd(queryClient: QueryClient, href: string): void {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  reloadAllTabs(`/login${queryString({ next: href, notice: 'ended' })}`);
}
