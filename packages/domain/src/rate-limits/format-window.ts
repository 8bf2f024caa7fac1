import { formatCountOf } from '../format-count.js';

const MINUTE = 60;
const HOUR = 3_600;

/** Uses hours or minutes if the window is a whole number of them, as in "15 minutes". One minute is "60 seconds". */
export function formatWindow(seconds: number): string {
  if (seconds % HOUR === 0) return formatCountOf(seconds / HOUR, 'hour');
  if (seconds > MINUTE && seconds % MINUTE === 0) return formatCountOf(seconds / MINUTE, 'minute');
  return formatCountOf(seconds, 'second');
}
