import type { EmailSearch } from './email-search';

/** The periods that users can choose, by the number of days, today included. */
const periods: Readonly<Record<string, string>> = {
  '1': 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
};

const CUSTOM = 'custom';

/** The options of the filter. Dates that match no period are shown as one more option. */
export function periodOptions(search: EmailSearch): Array<{ value: string; label: string }> {
  const options = Object.entries(periods).map(([value, label]) => ({ value, label }));
  return periodOf(search) === CUSTOM ? [...options, { value: CUSTOM, label: 'Custom dates' }] : options;
}

/** @returns the chosen option; empty if the dates are not filtered */
export function periodOf({ created_after, created_before }: EmailSearch): string {
  if (!created_after && !created_before) return '';
  const period = Object.keys(periods).find((days) => firstDayOf(days) === created_after);
  return period !== undefined && !created_before ? period : CUSTOM;
}

/** @returns the dates of an option, in the user's time zone; empty for all emails */
export function datesOf(period: string): { created_after: string; created_before: string } | null {
  if (period === CUSTOM) return null;
  return { created_after: period === '' ? '' : firstDayOf(period), created_before: '' };
}

function firstDayOf(days: string): string {
  const date = new Date();
  date.setDate(date.getDate() - Number(days) + 1);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
