import { type ClaimedEmail, failpoint } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { deliverEmail } from './deliver-email.js';
import { recordOutcome } from './record-outcome.js';

/**
 * Delivers a claimed email under its lease, records the outcome, and gives the slot back, whatever happens: before
 * the record, for while Postgres writes it the next email can be on its way.
 */
export async function holdAndDeliver(ctx: WorkerContext, email: ClaimedEmail, claimedAt: number): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  ctx.metrics.inHand.inc();
  let giveBack = () => ctx.slots.release(email.workspaceId);
  try {
    const outcome = await deliverEmail(ctx, email, lease);
    giveBack = ctx.slots.releaseToRecord(email.workspaceId);
    await recordOutcome(ctx, outcome);
    failpoint('after_outcome');
  } catch (error) {
    // The lease will end and the email be claimed again; nothing is lost, but this is our fault.
    ctx.log.error({ error, emailId: email.id }, 'delivery_failed');
  } finally {
    lease.end();
    giveBack();
    ctx.metrics.inHand.dec();
    ctx.metrics.attemptSeconds.observe((performance.now() - claimedAt) / 1_000);
  }
}
