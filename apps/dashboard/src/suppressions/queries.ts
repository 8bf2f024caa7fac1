import type { List, Suppression } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, queryString } from '../api/request';
import { type Cursor, readCursor } from '../ui/cursor';

export const suppressionsPath = '/api/v1/suppressions';

/** The prefix of all suppression queries. Invalidate it after adding or removing some. */
export const suppressionsKey = ['suppressions'];

export const suppressionsQuery = ({ after, before, reason, topic, address }: SuppressionsSearch) =>
  queryOptions({
    queryKey: [...suppressionsKey, after, before, reason, topic, address],
    queryFn: () =>
      get<List<Suppression>>(`${suppressionsPath}${queryString({ after, before, reason, topic, address, limit: 50 })}`),
  });

const filterNames = ['reason', 'topic', 'address'] as const;

export type FilterName = (typeof filterNames)[number];

export type SuppressionFilters = { readonly [Name in FilterName]?: string | undefined };

/** The filters, the page and the open dialog, as in the URL. The filters are named as in the API. */
export type SuppressionsSearch = Cursor & SuppressionFilters & { readonly dialog?: 'add' | 'import' | undefined };

export function readSuppressionsSearch(search: Record<string, unknown>): SuppressionsSearch {
  const { dialog } = search;
  return {
    ...readCursor(search),
    reason: readText(search.reason),
    topic: readText(search.topic),
    address: readText(search.address),
    dialog: dialog === 'add' || dialog === 'import' ? dialog : undefined,
  };
}

export function hasFilters(search: SuppressionFilters): boolean {
  return filterNames.some((name) => search[name] !== undefined);
}

/** Only the filters, and so the first page. */
export function filtersOf({ reason, topic, address }: SuppressionFilters): SuppressionFilters {
  return { reason, topic, address };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
