import { type ClaimedEmail, type LateKind, selectLateEmails } from '@posthorn/domain/delivery';
import { type Loop, startLoop } from '@posthorn/platform/processes';
import { buildLateOutcome } from '../delivering/outcomes-without-transaction.js';
import { recordOutcome, reportAttempt } from '../delivering/record-outcome.js';
import { claimOrSetAside, type WorkerContext } from './claim-emails.js';

/**
 * This check runs rarely, because it needs one lookup per workspace with due emails. An email that has waited for 72
 * hours can wait another minute.
 */
const NEVER_TRIED_INTERVAL_MS = 60_000;
const MAX_EMAILS_PER_STATEMENT = 50;

/**
 * Ends emails that may no longer be sent. This takes no slot and no relay, so it works even while all relays are paused
 * or every slot is waiting for a slow relay.
 */
export function startLateEmailChecks(ctx: WorkerContext): Loop {
  // After a full batch, more emails may be waiting.
  const start = (kind: LateKind, intervalMs: number) =>
    startLoop(
      async () => (await endLateEmails(ctx, kind)) >= MAX_EMAILS_PER_STATEMENT,
      intervalMs,
      (error) => ctx.log.warn({ error }, 'late_emails_not_ended'),
    );
  const loops = [start('past_send_before', ctx.config.sweepIntervalMs), start('never_tried', NEVER_TRIED_INTERVAL_MS)];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

async function endLateEmails(ctx: WorkerContext, kind: LateKind): Promise<number> {
  const { db } = ctx;
  const { leaseSeconds } = ctx.config;
  const claimedAt = performance.now();
  // There are almost never any late emails, and this lookup is a much smaller statement than the claim.
  if ((await selectLateEmails(db, kind, 1, leaseSeconds).find()).length === 0) return 0;
  const emails = await claimOrSetAside(ctx, selectLateEmails(db, kind, MAX_EMAILS_PER_STATEMENT, leaseSeconds));
  await Promise.all(emails.map((email) => endUnderLease(ctx, email, claimedAt)));
  return emails.length;
}

async function endUnderLease(ctx: WorkerContext, email: ClaimedEmail, claimedAt: number): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  try {
    const outcome = buildLateOutcome(ctx, email);
    reportAttempt(ctx, email, outcome, performance.now() - claimedAt);
    await recordOutcome(ctx, outcome);
  } finally {
    lease.end();
  }
}
