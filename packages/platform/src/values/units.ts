export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** A UTC day always has 24 hours. */
export const DAY_MS = 86_400_000;

/** `1,203` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 send`, `1,203 sends` */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
