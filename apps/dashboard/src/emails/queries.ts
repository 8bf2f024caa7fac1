import {
  type Email,
  type EmailStats,
  type EmailSummary,
  handedOverStatuses,
  type List,
  type Report,
} from '@posthorn/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { get, listPages, toPath, toQueryString } from '../api/request';
import { type LiveList, toLiveList, updateInPlace } from '../ui/live-list';
import { type EmailSearch, isFirstPage, isTextSearch, toApiQuery } from './email-search';
import { isInProgress } from './email-status';

const REFRESH_MS = 3_000;
/** After this many refreshes, ten minutes have passed, and the user is probably doing something else. */
const MAX_REFRESHES = 200;

export const emailsKey = ['emails'];

/** The first page refreshes automatically, and its rows stay in place. */
export function emailsQuery(search: EmailSearch) {
  const queryKey = buildListKey(search);
  return queryOptions({
    queryKey,
    async queryFn({ client }): Promise<LiveList<EmailSummary>> {
      if (isTextSearch(search)) return toLiveList(await searchEmails(search));
      const list = await getEmails(search);
      const shown = client.getQueryData<LiveList<EmailSummary>>(queryKey);
      return shown && isFirstPage(search) ? updateInPlace(shown, list) : toLiveList(list);
    },
    // Users who return from an email to the list within a minute find the list unchanged.
    gcTime: 60_000,
    // A search is not repeated, because it may look through thousands of emails.
    refetchInterval: isFirstPage(search) && !isTextSearch(search) && REFRESH_MS,
    // Live mail must not be shown as test mail while the list loads.
    placeholderData: (previous, query) => (isTestMode(query?.queryKey) === isTestMode(queryKey) ? previous : undefined),
  });
}

/** Reloads the list, so that it includes the newer emails. */
export function showNewEmails(client: QueryClient, search: EmailSearch): Promise<LiveList<EmailSummary>> {
  return client.fetchQuery({
    queryKey: buildListKey(search),
    queryFn: async () => toLiveList(await getEmails(search)),
    staleTime: 0,
  });
}

export function newestEmailsQuery(search: { readonly status?: string; readonly limit: string }) {
  return queryOptions({
    queryKey: [...emailsKey, 'newest', search],
    queryFn: () => getEmails(search),
    refetchInterval: REFRESH_MS,
  });
}

/**
 * Whether a mail server ever accepted an email from this workspace. Refreshes until one did, for ten minutes at most.
 */
export const handedOverQuery = queryOptions({
  queryKey: [...emailsKey, 'handed over'],
  queryFn: hasHandedOver,
  refetchInterval: ({ state: { data, dataUpdateCount, errorUpdateCount } }) =>
    data !== true && dataUpdateCount + errorUpdateCount < MAX_REFRESHES && REFRESH_MS,
});

async function hasHandedOver(): Promise<boolean> {
  for (const status of handedOverStatuses) if ((await getEmails({ status, limit: '1' })).data.length > 0) return true;
  return false;
}

/** Refreshes until the email reaches a final status. */
export function emailQuery(id: string) {
  return queryOptions({
    queryKey: [...emailsKey, 'one', id],
    queryFn: () => get<Email>(toPath(emailsPath, id)),
    refetchInterval: ({ state: { data } }) => data !== undefined && isInProgress(data.status) && REFRESH_MS,
  });
}

export function toMessagePath(id: string): string {
  return `${toPath(emailsPath, id)}/message`;
}

export function reportsQuery(id: string) {
  return queryOptions({
    queryKey: [...emailsKey, 'one', id, 'reports'],
    queryFn: () => get<List<Report>>(`${toPath(emailsPath, id)}/reports`),
  });
}

/** An email's events and attempts. The email itself may contain only the newest of each. */
export type HistoryName = 'events' | 'attempts';

/** All events or attempts of an email, newest first. Refreshes until the email reaches a final status. */
export function historyQuery<Name extends HistoryName>({ id, status }: Email, name: Name) {
  return infiniteQueryOptions({
    queryKey: [...emailsKey, 'one', id, name],
    queryFn: ({ pageParam }) =>
      get<List<Email[Name][number]>>(
        `${toPath(emailsPath, id)}/${name}${toQueryString({ limit: 100, after: pageParam })}`,
      ),
    ...listPages,
    refetchInterval: isInProgress(status) && REFRESH_MS,
  });
}

/** Refreshes as often as the list until there is a delivery rate, and less often afterwards. */
export const emailStatsQuery = queryOptions({
  queryKey: [...emailsKey, 'stats'],
  queryFn: () => get<EmailStats>(`${emailsPath}/stats`),
  refetchInterval: ({ state: { data } }) => (data?.delivery_rate == null ? REFRESH_MS : 3 * REFRESH_MS),
});

function isTestMode(queryKey: readonly string[] | undefined): boolean {
  return queryKey?.at(-1)?.includes('mode=test') ?? false;
}

function buildListKey(search: EmailSearch) {
  return [...emailsKey, 'list', toApiQuery(search)];
}

export const emailsPath = '/api/v1/emails';

function getEmails(search: EmailSearch): Promise<List<EmailSummary>> {
  return get<List<EmailSummary>>(`${emailsPath}${toApiQuery(search)}`);
}

const DEFAULT_PAGE_SIZE = 20;
/** After this many requests, the user decides whether to search on. Together, they take about a second. */
const MAX_REQUESTS = 10;

/**
 * Reads one page of a text search. The API ends a page when its time is up, so filling one can
 * take several requests.
 */
async function searchEmails(search: EmailSearch): Promise<List<EmailSummary>> {
  const size = Number(search.limit || DEFAULT_PAGE_SIZE);
  let page = await getEmails(search);
  for (let requests = 1; requests < MAX_REQUESTS && page.next_cursor && page.data.length < size; requests += 1) {
    const cursor = { [search.before ? 'before' : 'after']: page.next_cursor };
    const next = await getEmails({ ...search, ...cursor, limit: String(size - page.data.length) });
    const data = search.before ? [...next.data, ...page.data] : [...page.data, ...next.data];
    page = { ...next, data };
  }
  return page;
}
