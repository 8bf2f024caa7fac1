import type { MantineColor } from '@mantine/core';
import type { WebhookDelivery } from '@posthorn/contract';

/** The options of the filter. */
export const deliveryStatusOptions = [
  { value: 'pending', label: 'Waiting or retrying' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

export function deliveryStatus({ status, attempts }: WebhookDelivery): { color: MantineColor; label: string } {
  switch (status) {
    case 'pending':
      return attempts.at(-1)?.error ? { color: 'orange', label: 'Retrying' } : { color: 'blue', label: 'Waiting' };
    case 'delivered':
      return { color: 'green', label: 'Delivered' };
    case 'failed':
      return { color: 'red', label: 'Failed' };
    default:
      return status satisfies never;
  }
}
