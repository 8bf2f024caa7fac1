import type { Domain } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';

const statuses = {
  pending: { color: 'yellow', label: 'Waiting for DNS' },
  verified: { color: 'green', label: 'Verified' },
  withdrawn: { color: 'red', label: 'Withdrawn' },
} as const;

export function DomainStatusBadge({ status }: { readonly status: Domain['status'] }) {
  return <StatusBadge {...statuses[status]} />;
}
