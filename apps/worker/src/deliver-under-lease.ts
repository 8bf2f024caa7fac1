import { type ClaimedEmail, failpoint } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { deliverEmail } from './deliver-email.js';
import { recordOutcome } from './record-outcome.js';

/**
 * Delivers a claimed email under its lease and records the outcome. The slot is released whatever happens,
 * and before the outcome is recorded, so that the next email is on its way while Postgres writes.
 */
export async function deliverUnderLease(ctx: WorkerContext, email: ClaimedEmail, claimedAt: number): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  ctx.metrics.inHand.inc();
  let release = () => ctx.slots.release(email.workspaceId);
  try {
    const outcome = await deliverEmail(ctx, email, lease);
    release = ctx.slots.releaseToRecord(email.workspaceId);
    await recordOutcome(ctx, outcome);
    failpoint('after_outcome');
  } catch (error) {
    // The lease will expire and another worker claim the email. Nothing is lost, but the fault is ours.
    ctx.log.error({ error, emailId: email.id }, 'delivery_failed');
  } finally {
    lease.end();
    release();
    ctx.metrics.inHand.dec();
    ctx.metrics.attemptSeconds.observe((performance.now() - claimedAt) / 1_000);
  }
}
