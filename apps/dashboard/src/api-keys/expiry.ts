const DAY_MS = 86_400_000;

export const expiries = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 365 days' },
  { value: 'date', label: 'On a date' },
];

/**
 * @param choice a value of `expiries`
 * @param date used if the choice is `date`: with `2026-12-01`, the key expires when that day starts in the user's time
 *   zone
 */
export function toExpiry(choice: string, date: string): string | null {
  if (choice === 'never') return null;
  if (choice === 'date') return toTimestamp(new Date(`${date}T00:00`), date);
  return new Date(Date.now() + Number(choice) * DAY_MS).toISOString();
}

/** An invalid date is sent as typed, so that the API can reject it. */
function toTimestamp(time: Date, typed: string): string {
  return Number.isNaN(time.getTime()) ? typed : time.toISOString();
}
