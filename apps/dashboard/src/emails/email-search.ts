import { queryString } from '../api/query-string';

/** Filters and position, as in the URL. The names match the API's; dates are days in the user's time zone. */
export type EmailSearch = Readonly<Record<string, string | undefined>>;

export const filterNames = ['status', 'to', 'from_', 'tag', 'template_id', 'created_after', 'created_before'] as const;

export type FilterName = (typeof filterNames)[number];

export function hasFilters(search: EmailSearch): boolean {
  return filterNames.some((name) => search[name]);
}

/** Whether the newest emails are shown. */
export function isFirstPage({ after, before }: EmailSearch): boolean {
  return !after && !before;
}

/** Both dates are inclusive, while the API's are exclusive. */
export function toApiQuery(search: EmailSearch): string {
  const { status, to, from_, tag, template_id, created_after, created_before, after, before, limit } = search;
  return queryString({
    ...{ status, to, from_, tag, template_id, after, before, limit },
    created_after: created_after && startOfDay(created_after, 0, -1),
    created_before: created_before && startOfDay(created_before, 1, 0),
  });
}

/** @returns an invalid date unchanged, so that the API can reject it */
function startOfDay(day: string, addDays: number, addMs: number): string {
  const date = new Date(`${day}T00:00:00`);
  if (Number.isNaN(date.getTime())) return day;
  date.setDate(date.getDate() + addDays);
  return new Date(date.getTime() + addMs).toISOString();
}

/** An empty value removes the filter. The list starts again at the newest email. */
export function withFilter(search: EmailSearch, name: FilterName, value: string): EmailSearch {
  return { ...search, after: undefined, before: undefined, [name]: value };
}

export function withoutFilters({ limit }: EmailSearch): EmailSearch {
  return { limit };
}
