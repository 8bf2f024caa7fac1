import type { EmailStatus } from '@posthorn/contract';
import { StateBadge } from '../ui/state-badge';
import { wordsOf } from './status-words';

/** The state of an email or of a recipient. */
export function EmailState({ status }: { readonly status: EmailStatus }) {
  const { label, color } = wordsOf(status);
  return <StateBadge color={color} words={label} />;
}
