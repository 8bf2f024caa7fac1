export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** A UTC day always has 24 hours. */
export const DAY_MS = 86_400_000;

/** `1,203` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

const KB = 1_000;
const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'];

/** `840 bytes`, `12.34 kB`, `1.5 GB`. Rounded down, so that what is left never seems to be less than it is. */
export function formatBytes(bytes: number): string {
  if (bytes < KB) return formatCountOf(bytes, 'byte');
  const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log10(bytes) / 3));
  const size = Math.floor((bytes / KB ** power) * 100) / 100;
  return `${size.toLocaleString('en-US')} ${BYTE_UNITS[power - 1]}`;
}

/** `1 send`, `1,203 sends` */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
