import type { MantineColor } from '@mantine/core';
import type { SuppressionReason } from '@posthorn/contract';

export const reasons: Readonly<
  Record<SuppressionReason, { readonly label: string; readonly color: MantineColor; readonly removal: string }>
> = {
  hard_bounce: {
    label: 'Hard bounce',
    color: 'red',
    removal: 'Mail to this address bounced. If the next email bounces too, it is suppressed again.',
  },
  complaint: {
    label: 'Complaint',
    color: 'orange',
    removal: 'The recipient marked an email as spam.',
  },
  unsubscribe: {
    label: 'Unsubscribed',
    color: 'gray',
    removal: 'The recipient did not want this mail. Remove this only if they have asked for it again.',
  },
  manual: {
    label: 'Manual',
    color: 'blue',
    removal: 'The address gets mail again, unless it has another suppression.',
  },
};
