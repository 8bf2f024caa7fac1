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
export function formatRelativeTime(time: Date, now: Date): string | null {
  const ms = time.getTime() - now.getTime();
  const [unit, unitMs] = units.find(([, size]) => Math.abs(ms) >= size) ?? [];
  if (unit === undefined) return ms > 0 ? 'in less than a minute' : 'less than a minute ago';
  const count = Math.trunc(ms / unitMs);
  return unit === 'day' && Math.abs(count) > MAX_DAYS ? null : format.format(count, unit);
}

const KB = 1_000;
const MB = 1_000_000;
const GB = 1_000_000_000;

const byteUnits = [
  ['GB', GB],
  ['MB', MB],
  ['kB', KB],
] as const;

/** `840 bytes`, `12.3 kB`, `1.5 MB`, `2 GB` */
export function formatBytes(bytes: number): string {
  if (bytes < KB) return `${bytes.toLocaleString()} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [unit, size] = byteUnits.find(([, least]) => bytes >= least) ?? ['kB', KB];
  return `${(bytes / size).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}

const usd = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  trailingZeroDisplay: 'stripIfInteger',
});

/** 20 gives `$20`, and 1.5 gives `$1.50`. */
export function formatUsd(amount: number): string {
  return usd.format(amount);
}

/** The value of a `datetime-local` input: local time, to the minute. */
export function toLocalInput(date: Date): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** @returns RFC 3339 in UTC; an invalid time is returned unchanged, so that the API can reject it */
export function readLocalInput(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** `hard_bounce` gives `Hard bounce`. */
export function toLabel(word: string): string {
  return (word.charAt(0).toUpperCase() + word.slice(1)).replaceAll('_', ' ');
}

export function listOptions<Word extends string>(words: readonly Word[], getLabel: (word: Word) => string = toLabel) {
  return words.map((value) => ({ value, label: getLabel(value) }));
}
