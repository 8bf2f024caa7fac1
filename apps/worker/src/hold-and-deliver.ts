import type { ClaimedEmail } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { deliverEmail } from './deliver-email.js';

/** Delivers a claimed email under its lease and gives the slot back, whatever happens. */
export async function holdAndDeliver(ctx: WorkerContext, email: ClaimedEmail, claimedAt: number): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  ctx.metrics.inHand.inc();
  try {
    await deliverEmail(ctx, email, lease);
  } catch (error) {
    // The lease will end and the email be claimed again; nothing is lost, but this is our fault.
    ctx.log.error({ error, emailId: email.id }, 'delivery_failed');
  } finally {
    lease.end();
    ctx.slots.release(email.workspaceId);
    ctx.metrics.inHand.dec();
    ctx.metrics.attemptSeconds.observe((performance.now() - claimedAt) / 1_000);
  }
}
