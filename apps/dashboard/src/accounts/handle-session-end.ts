import type { QueryClient } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { reloadAllTabs } from './reload-all-tabs';
import { sessionQuery } from './session';

/** Leads to the log-in, and from there back. Whoever is at the door already stays. @param href of the page that is left */
export function handleSessionEnd(queryClient: QueryClient, href: string): void {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  reloadAllTabs(`/login${queryString({ next: href, notice: 'ended' })}`);
}
