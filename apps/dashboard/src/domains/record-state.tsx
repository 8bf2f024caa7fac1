import type { DomainRecord } from '@posthorn/contract';
import { StateBadge } from '../ui/state-badge';

export const recordStates = {
  pending: { color: 'gray', words: 'Not looked for yet' },
  verified: { color: 'green', words: 'In place' },
  missing: { color: 'yellow', words: 'Missing' },
  wrong: { color: 'red', words: 'Wrong' },
} as const;

export function RecordState({ status }: { readonly status: DomainRecord['status'] }) {
  return <StateBadge {...recordStates[status]} />;
}
