// The inbox and its reader are on the same machine, so they share a time zone.
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** `14:05` for today, `20 Nov` for this year, or `20 Nov 2025`. */
export function formatShortTime(time: Date, now = new Date()): string {
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  return (time.getFullYear() === now.getFullYear() ? day : dayAndYear).format(time);
}

/** `Fri, 20 Nov 2026, 14:05:09 UTC` */
export function formatLongTime(time: Date): string {
  return full.format(time);
}
