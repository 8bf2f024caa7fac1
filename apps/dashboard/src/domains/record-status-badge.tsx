import type { DomainRecord } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';

export const recordStatuses = {
  pending: { color: 'gray', label: 'Not checked yet' },
  verified: { color: 'green', label: 'In place' },
  missing: { color: 'yellow', label: 'Missing' },
  wrong: { color: 'red', label: 'Wrong' },
} as const;

export function RecordStatusBadge({ status }: { readonly status: DomainRecord['status'] }) {
  return <StatusBadge {...recordStatuses[status]} />;
}
