import { formatCountOf } from '../format-count.js';

const MINUTE = 60;
const HOUR = 3_600;

/** The length of a window in its largest whole unit: "60 seconds", "15 minutes", "24 hours". */
export function formatWindow(seconds: number): string {
  if (seconds % HOUR === 0) return formatCountOf(seconds / HOUR, 'hour');
  if (seconds > MINUTE && seconds % MINUTE === 0) return formatCountOf(seconds / MINUTE, 'minute');
  return formatCountOf(seconds, 'second');
}
