import type { QueryClient } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { sessionQuery } from './session';
import { startOver } from './start-over';

/** Leads to the log-in, and from there back. Whoever is at the door already stays. @param href of the page that is left */
export function leaveEndedSession(queryClient: QueryClient, href: string): void {
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  startOver(`/login${queryString({ next: href, notice: 'ended' })}`);
}
