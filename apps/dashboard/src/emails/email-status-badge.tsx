import type { EmailStatus } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';
import { wordsOf } from './status-words';

/** The state of an email or of a recipient. */
export function EmailStatusBadge({ status }: { readonly status: EmailStatus }) {
  const { label, color } = wordsOf(status);
  return <StatusBadge color={color} label={label} />;
}
