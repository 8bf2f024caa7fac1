import type { Mode } from '@posthorn/contract';
import { toQueryString } from '../api/request';

/**
 * Filters and position, as in the URL. The names match the API's. Dates are days in the user's time zone, UTC days if
 * they end with Z, as in `2026-11-23Z`, or exact times, as in `2026-11-23T10:00:00.000Z`.
 */
export type EmailSearch = Readonly<Record<string, string | undefined>>;

/** The filters that are hidden at first. */
export const extraFilters = [
  'from_',
  'tag',
  'idempotency_key',
  'template_id',
  'created_after',
  'created_before',
] as const;

export const filterNames = ['q', 'status', 'to', ...extraFilters] as const;

export type FilterName = (typeof filterNames)[number];

export function hasFilters(search: EmailSearch): boolean {
  return filterNames.some((name) => search[name]);
}

export function isFirstPage({ after, before }: EmailSearch): boolean {
  return !after && !before;
}

export function toApiQuery(search: EmailSearch): string {
  const { after, before, limit } = search;
  return toQueryString({ ...toApiFilters(search), after, before, limit });
}

/** For every email that matches the filters, whatever page is shown. */
export function toCsvQuery(search: EmailSearch): string {
  return toQueryString({ ...toApiFilters(search), format: 'csv' });
}

/** Both dates are inclusive, while the API's are exclusive. */
function toApiFilters({ mode, q, created_after, created_before, ...search }: EmailSearch) {
  const { status, to, from_, tag, idempotency_key, template_id } = search;
  return {
    mode,
    ...(q && (isMessageId(q) ? { message_id: q } : { q })),
    ...{ status, to, from_, tag, idempotency_key, template_id },
    created_after: created_after && toStartOfDay(created_after, 0, -1),
    created_before: created_before && toStartOfDay(created_before, 1, 0),
  };
}

/** An email's id, with or without the rest of its Message-ID. */
const MESSAGE_ID = /^<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@[^@<>\s]+)?>?$/i;

/** Whether the user is looking for one email rather than searching for text. */
function isMessageId(q: string): boolean {
  return toEmailId(q) !== undefined;
}

/** @returns the id of the email with this id or Message-ID, or undefined for any other text */
export function toEmailId(q: string): string | undefined {
  return MESSAGE_ID.exec(q)?.[1]?.toLowerCase();
}

/** Whether the API searches for text, which can take several requests. */
export function isTextSearch({ q }: EmailSearch): boolean {
  return Boolean(q) && !isMessageId(q ?? '');
}

/** The date of a day, for an input. An exact time gives its UTC day. */
export function toInputDate(day: string): string {
  return day.replace(/T.*|Z$/, '');
}

export function isExactTime(day: string): boolean {
  return /T.*Z$/.test(day);
}

/** Whether a date in the search is a UTC day, or a time whose UTC day is shown. */
export function isUtcDay(day: string): boolean {
  return day.endsWith('Z');
}

/** @returns an exact time and an invalid date unchanged; the API rejects the latter */
function toStartOfDay(day: string, addDays: number, addMs: number): string {
  if (isExactTime(day)) return day;
  const isUtc = isUtcDay(day);
  const date = new Date(`${toInputDate(day)}T00:00:00${isUtc ? 'Z' : ''}`);
  if (Number.isNaN(date.getTime())) return day;
  if (isUtc) date.setUTCDate(date.getUTCDate() + addDays);
  else date.setDate(date.getDate() + addDays);
  return new Date(date.getTime() + addMs).toISOString();
}

export function changeMode(search: EmailSearch, mode: Mode): EmailSearch {
  return { ...search, after: undefined, before: undefined, mode: mode === 'test' ? mode : undefined };
}

/** An empty value removes the filter. The list starts again at the newest email. */
export function changeFilters(search: EmailSearch, filters: Partial<Record<FilterName, string>>): EmailSearch {
  return { ...search, after: undefined, before: undefined, ...filters };
}

export function clearFilters({ limit, mode }: EmailSearch): EmailSearch {
  return { limit, mode };
}

const periods: Readonly<Record<string, string>> = {
  '1': 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
};

const CUSTOM = 'custom';

/** The options of the filter. Dates that match no period are shown as one more option. */
export function listPeriods(search: EmailSearch): Array<{ value: string; label: string }> {
  const options = Object.entries(periods).map(([value, label]) => ({ value, label }));
  return findPeriod(search) === CUSTOM ? [...options, { value: CUSTOM, label: 'Custom dates' }] : options;
}

/** @returns the chosen option; empty if the dates are not filtered */
export function findPeriod({ created_after, created_before }: EmailSearch): string {
  if (!created_after && !created_before) return '';
  const period = Object.keys(periods).find((days) => getFirstDay(days) === created_after);
  return period !== undefined && !created_before ? period : CUSTOM;
}

/** @returns the dates of an option, in the user's time zone; empty for all emails */
export function findDates(period: string): { created_after: string; created_before: string } | null {
  if (period === CUSTOM) return null;
  return { created_after: period === '' ? '' : getFirstDay(period), created_before: '' };
}

function getFirstDay(days: string): string {
  const date = new Date();
  date.setDate(date.getDate() - Number(days) + 1);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
