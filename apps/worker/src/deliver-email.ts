import { type ClaimedEmail, failpoint, limits, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { envelopeOf } from './envelope.js';
import { recoverHandoff, saveHandoff } from './handoff.js';
import type { Lease } from './leases.js';
import { outcomeOfTransaction } from './outcomes/outcome-of-transaction.js';
import {
  heldOutcome,
  leaseEndedOutcome,
  noRouteOutcome,
  postponedOutcome,
  unsendableOutcome,
} from './outcomes/outcome-without-transaction.js';
import { renderMessage } from './render-message.js';
import { isTooOld } from './retry-schedule.js';
import { signEmail } from './sign-email.js';

const TOO_MANY_AMBIGUOUS = 'Gave up: too many attempts ended without a known result';
const TOO_OLD = `Gave up: it could not be sent within ${limits.maxAgeHours.max} hours of the time it was due`;

/**
 * FLOW 2, from a claimed email to its outcome, which `deliverUnderLease` records: recover -> hold -> render ->
 * sign -> send -> read the replies -> mark the handoff. The policy:
 * - each recipient has its own result: 2xx is sent, 4xx or a broken connection deferred, 5xx bounced;
 * - if a relay cannot be reached, greeted or logged in to, the email waits and the attempt is not charged;
 * - if the connection breaks after the final dot, the attempt is ambiguous (RFC 1047). So is one whose worker
 *   stopped without a handoff marker. AMBIGUOUS_POLICY says whether to send again or to hold;
 * - an email fails, and says why, if it cannot be built or signed, is too old, or has lost its verified sender;
 * - if a template or a signing key cannot be read, the email waits uncharged. It is never sent unsigned.
 * Never throws because of an email: every end is an outcome.
 */
export async function deliverEmail(ctx: WorkerContext, email: ClaimedEmail, lease: Lease): Promise<Outcome> {
  failpoint('after_claim');
  const recovered = await recoverHandoff(ctx, email);
  if (recovered) {
    // Marked again under this attempt, because a later worker looks for our marker.
    await saveHandoff(ctx, recovered);
    return recovered;
  }

  if (email.reclaimed && ctx.config.ambiguousPolicy === 'hold') return heldOutcome(email);
  if (email.reclaimed) ctx.metrics.attempts.inc({ outcome: 'ambiguous' });
  if (email.ambiguousAttempts > limits.ambiguousAttempts.max) return unsendableOutcome(email, TOO_MANY_AMBIGUOUS);
  if (isTooOld(email)) return unsendableOutcome(email, TOO_OLD);

  const rendered = await renderMessage(ctx, email);
  if ('fault' in rendered) return unsendableOutcome(email, rendered.fault);
  if ('waitsFor' in rendered) return postponedOutcome(email, rendered.waitsFor);

  const signed = await signEmail(ctx, email, rendered.message);
  if ('fault' in signed) return unsendableOutcome(email, signed.fault);
  if ('waitsFor' in signed) return postponedOutcome(email, signed.waitsFor);

  const envelope = envelopeOf(ctx, email);
  const sent = await ctx.relays.send({ envelope, message: signed.message, mayStart: lease.isLive });
  if (sent.end === 'lease_ended') return leaseEndedOutcome(email);
  if (sent.end === 'no_route') return noRouteOutcome(email, sent, ctx.relays.pauseSeconds());

  failpoint('after_reply');
  const outcome = outcomeOfTransaction(ctx.config, email, sent);
  await saveHandoff(ctx, outcome);
  failpoint('after_marker');
  return outcome;
}
