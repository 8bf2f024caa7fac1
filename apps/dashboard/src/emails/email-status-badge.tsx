import type { EmailStatus } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';
import { describeStatus } from './email-status';

/** The status of an email or a recipient. */
export function EmailStatusBadge({ status }: { readonly status: EmailStatus }) {
  const { label, color } = describeStatus(status);
  return <StatusBadge color={color} label={label} />;
}
