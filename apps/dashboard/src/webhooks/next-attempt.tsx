import type { Webhook } from '@posthorn/contract';
import { RelativeTime } from '../ui/timestamp';

type Props = { readonly at: string | null; readonly webhook: Webhook };

/** When the next request is due, as part of a line. */
export function NextAttempt({ at, webhook: { status } }: Props) {
  if (status === 'disabled') return 'Waits until you enable the webhook';
  if (at === null) return null;
  if (Date.parse(at) <= Date.now()) return 'Next request: now';
  return (
    <>
      Next request: <RelativeTime value={at} />
    </>
  );
}
