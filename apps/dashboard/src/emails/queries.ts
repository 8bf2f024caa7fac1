import type { Email, EmailStats, EmailSummary, List } from '@posthorn/contract';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { get } from '../api/request';
import { type EmailSearch, isFirstPage, toApiQuery } from './email-search';
import { isInProgress } from './email-status';
import { type LiveList, toLiveList, updateInPlace } from './live-list';

const REFRESH_MS = 3_000;

export const emailsPath = '/api/v1/emails';

export function emailPath(id: string): string {
  return `${emailsPath}/${encodeURIComponent(id)}`;
}

/** All that is known of emails; whoever sends or changes one invalidates it. */
export const emailsKey = ['emails'];

/** A page of the list. The first one moves by itself, but not under its reader. */
export function emailsQuery(search: EmailSearch) {
  const queryKey = listKey(search);
  return queryOptions({
    queryKey,
    async queryFn({ client }): Promise<LiveList> {
      const list = await getEmails(search);
      const shown = client.getQueryData<LiveList>(queryKey);
      return shown && isFirstPage(search) ? updateInPlace(shown, list) : toLiveList(list);
    },
    // Whoever comes back from an email finds the list as it was; later, a fresh one.
    gcTime: 60_000,
    refetchInterval: isFirstPage(search) && REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** Lets what has arrived into the list. */
export function showNewEmails(client: QueryClient, search: EmailSearch): Promise<LiveList> {
  return client.fetchQuery({
    queryKey: listKey(search),
    queryFn: async () => toLiveList(await getEmails(search)),
    staleTime: 0,
  });
}

/** The newest emails, as they come. */
export function newestEmailsQuery(search: { readonly status?: string; readonly limit: string }) {
  return queryOptions({
    queryKey: [...emailsKey, 'newest', search],
    queryFn: () => getEmails(search),
    refetchInterval: REFRESH_MS,
  });
}

/** Whether the workspace has ever sent an email: one that it sent, or none. Asked until there is one. */
export const sentEmailQuery = queryOptions({
  ...newestEmailsQuery({ status: 'sent', limit: '1' }),
  refetchInterval: ({ state: { data } }) => (data === undefined || data.data.length === 0) && REFRESH_MS,
});

/** One email with all that became of it; asked again until nothing more happens. */
export function emailQuery(id: string) {
  return queryOptions({
    queryKey: [...emailsKey, 'one', id],
    queryFn: () => get<Email>(emailPath(id)),
    refetchInterval: ({ state: { data } }) => data !== undefined && isInProgress(data.status) && REFRESH_MS,
  });
}

/** The first email to come to its end is told as soon as the list tells it; later there is no hurry. */
export const emailStatsQuery = queryOptions({
  queryKey: [...emailsKey, 'stats'],
  queryFn: () => get<EmailStats>(`${emailsPath}/stats`),
  refetchInterval: ({ state: { data } }) => (data?.delivery_rate == null ? REFRESH_MS : 3 * REFRESH_MS),
});

function listKey(search: EmailSearch) {
  return [...emailsKey, 'list', toApiQuery(search)];
}

function getEmails(search: EmailSearch) {
  return get<List<EmailSummary>>(`${emailsPath}${toApiQuery(search)}`);
}
