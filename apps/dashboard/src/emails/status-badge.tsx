import { StateBadge } from '../ui/state-badge';
import { wordsOf } from './status-words';

/** The state of an email or of a recipient. */
export function StatusBadge({ status }: { readonly status: string }) {
  const { label, color } = wordsOf(status);
  return <StateBadge color={color}>{label}</StateBadge>;
}
