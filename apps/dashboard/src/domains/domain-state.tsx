import type { Domain } from '@posthorn/contract';
import { StateBadge } from '../ui/state-badge';

const states = {
  pending: { color: 'yellow', words: 'Waits for DNS' },
  verified: { color: 'green', words: 'Verified' },
  withdrawn: { color: 'red', words: 'Withdrawn' },
} as const;

export function DomainState({ status }: { readonly status: Domain['status'] }) {
  return <StateBadge {...states[status]} />;
}
