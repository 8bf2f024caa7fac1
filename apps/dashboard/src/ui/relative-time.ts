const MINUTE_MS = 60_000;

/** The largest unit that fits at least once is used. */
const units = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const;

/** For times further away, a date is more useful. */
const MAX_DAYS = 30;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * How far away a time is: `3 hours ago`, `in 5 minutes`, `yesterday`.
 * @returns null if it is more than 30 days away
 */
export function relativeTime(time: Date, now: Date): string | null {
  const ms = time.getTime() - now.getTime();
  const [unit, unitMs] = units.find(([, size]) => Math.abs(ms) >= size) ?? [];
  if (unit === undefined) return ms > 0 ? 'in less than a minute' : 'less than a minute ago';
  const count = Math.trunc(ms / unitMs);
  return unit === 'day' && Math.abs(count) > MAX_DAYS ? null : format.format(count, unit);
}
