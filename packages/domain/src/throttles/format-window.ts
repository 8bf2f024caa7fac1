import { formatCountOf } from '@posthorn/platform/values';

const MINUTE = 60;
const HOUR = 3_600;

/** The window in whole hours or minutes if possible, such as "15 minutes". One minute stays "60 seconds". */
export function formatWindow(seconds: number): string {
  if (seconds % HOUR === 0) return formatCountOf(seconds / HOUR, 'hour');
  if (seconds > MINUTE && seconds % MINUTE === 0) return formatCountOf(seconds / MINUTE, 'minute');
  return formatCountOf(seconds, 'second');
}
