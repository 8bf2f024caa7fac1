import type { SendingWindow } from '@posthorn/contract';

type Level = SendingWindow['status'];

/** The label says what the color says, for those who cannot see it. */
export const levels: Readonly<Record<Level, { readonly color: string; readonly label: string }>> = {
  ok: { color: 'green', label: 'Within the limits' },
  warning: { color: 'orange', label: 'Warning limit reached' },
  pause: { color: 'red', label: 'Pause limit reached' },
};

/** Two decimals, because the limits on complaints are below 1%. */
export function formatRate(rate: number): string {
  return rate.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 2 });
}
