import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import { emailLogFields } from '@posthorn/domain/emails';
import { failpoint } from '@posthorn/platform/failpoints';
import { inSpan, type Span } from '@posthorn/platform/traces';
import { type DeliveryContext, deliverEmail } from './deliver-email.js';
import type { Leases } from './leases.js';
import { recordOutcome, reportAttempt } from './record-outcome.js';

/** What delivering a claimed email needs. */
export type LeasedDeliveryContext = DeliveryContext & {
  readonly leases: Leases;
  /** The part of claiming/slots.ts that deliveries need. */
  readonly slots: { release(workspaceId: string): void; releaseToRecord(workspaceId: string): () => void };
};

/** @property claimedAt by the clock of `performance.now()`. @property source what told the worker about the email */
type Claim = { readonly claimedAt: number; readonly source: 'job' | 'sweep' };

/**
 * Delivers a claimed email under its lease and records the outcome. The slot is released before the outcome is
 * recorded, so that the next email can be sent while Postgres writes.
 */
export async function deliverUnderLease(
  ctx: LeasedDeliveryContext,
  email: ClaimedEmail,
  { claimedAt, source }: Claim,
): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  const span = startAttempt(ctx, email, claimedAt);
  ctx.metrics.inHand.inc();
  ctx.metrics.claimed.inc({ source: email.reclaimed ? 'lost_worker' : source });
  let release = () => ctx.slots.release(email.workspaceId);
  try {
    const outcome = await deliverEmail(ctx, email, lease, span).finally(() => ctx.messageMemory.release(email));
    reportAttempt(ctx, email, outcome, performance.now() - claimedAt);
    release = ctx.slots.releaseToRecord(email.workspaceId);
    if (span) describeOutcome(span, outcome);
    await inSpan(span?.startStep('record outcome'), () => recordOutcome(ctx, outcome));
    failpoint('after_outcome');
  } catch (error) {
    // Only a bug leads here, and no email is lost: another worker claims the email when the lease expires.
    ctx.log.error({ error, ...emailLogFields(email) }, 'delivery_failed');
  } finally {
    span?.end();
    lease.end();
    release();
    ctx.metrics.inHand.dec();
    ctx.metrics.attemptSeconds.observe((performance.now() - claimedAt) / 1_000);
  }
}

function describeOutcome(span: Span, { outcome, route, recipientResults: [first] }: Outcome): void {
  span.set({ 'posthorn.outcome': outcome, 'posthorn.relay': route, 'posthorn.smtp_code': first?.smtpCode });
}

/** The attempt is part of the trace of the request that the email was accepted with, however long ago that was. */
function startAttempt({ tracer }: DeliveryContext, email: ClaimedEmail, startedAt: number): Span | undefined {
  if (tracer === null) return undefined;
  const { id, workspaceId, attempt, requestId } = email;
  const attributes = {
    'messaging.system': 'posthorn',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'posthorn.workspace.id': workspaceId,
    'posthorn.request.id': requestId,
    'posthorn.attempt': attempt,
  };
  return tracer.startWork('deliver email', [email], { kind: 'consumer', attributes, startedAt });
}
