import type { Erasure, List } from '@posthorn/contract';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';

export const exportPath = '/api/v1/export';

const POLL_MS = 5_000;

export function recipientPath(address: string): string {
  return `/api/v1/recipients/${encodeURIComponent(address)}`;
}

/** Newest first. While one is pending, the list is read again every few seconds. */
export const erasuresQuery = infiniteQueryOptions({
  queryKey: ['erasures'],
  queryFn: ({ pageParam }) => get<List<Erasure>>(`/api/v1/erasures${queryString({ after: pageParam, limit: 20 })}`),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ data }) => data.some(({ status }) => status === 'pending')) ? POLL_MS : false,
});
