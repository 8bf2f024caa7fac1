import type { Webhook } from '@posthorn/contract';
import { RelativeTime } from '../ui/timestamp';

type Props = { readonly at: string | null; readonly webhook: Webhook };

/** When the next attempt is due, as part of a line. */
export function NextAttempt({ at, webhook: { status } }: Props) {
  if (status === 'disabled') return 'Waits until you enable the webhook';
  if (at === null) return null;
  if (Date.parse(at) <= Date.now()) return 'Next attempt: now';
  return (
    <>
      Next attempt: <RelativeTime value={at} />
    </>
  );
}
