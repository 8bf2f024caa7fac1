import type { ClaimedEmail } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';

/** Records a claim of several emails after it has ended, because only then is it known which of them are traced. */
export function traceClaim(
  { tracer }: Pick<Context, 'tracer'>,
  emails: readonly ClaimedEmail[],
  startedAt: number,
): void {
  if (tracer === null) return;
  const attributes = {
    'messaging.system': 'posthorn',
    'messaging.operation.name': 'claim',
    'messaging.operation.type': 'receive',
    'messaging.batch.message_count': emails.length,
  };
  tracer.startWork('claim emails', emails, { kind: 'client', attributes, startedAt })?.end();
}
