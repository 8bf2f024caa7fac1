import { type ClaimedEmail, failpoint, limits, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { envelopeOf } from './envelope.js';
import { recallHandover, rememberHandover } from './handoff.js';
import type { Lease } from './leases.js';
import { held, postponed, readOutcome, unsendable, unsent, untouched } from './read-outcome.js';
import { renderMessage } from './render-message.js';
import { isOverAge } from './retry-schedule.js';
import { signEmail } from './sign-email.js';

const GIVEN_UP = 'Given up: too many attempts ended without anybody knowing how';
const TOO_OLD = `Given up: it could not be sent within ${limits.maxAgeHours.max} hours of its time`;

/**
 * FLOW 2, from a claimed email to the outcome, which `holdAndDeliver` records: recall -> hold -> render -> sign ->
 * send -> read the replies -> note. The policy:
 * - each recipient has its own fate: 2xx sent, 4xx or a broken link deferred, 5xx bounced;
 * - a relay that cannot be reached, greeted or logged in to blames no mail: it waits, uncharged;
 * - a link that breaks after the final dot leaves the attempt ambiguous (RFC 1047), and so does a worker
 *   that vanishes without a note: it is marked, and sent again or held by AMBIGUOUS_POLICY;
 * - a message that cannot be built or signed, is too old, or whose sender is no longer verified, fails and
 *   says why;
 * - a template or a signing key that cannot be read blames no mail either: it waits, uncharged, and is never
 *   sent unsigned.
 * Never throws for a mail's sake: every end is an outcome.
 */
export async function deliverEmail(ctx: WorkerContext, email: ClaimedEmail, lease: Lease): Promise<Outcome> {
  failpoint('after_claim');
  const recalled = await recallHandover(ctx, email);
  if (recalled) {
    // Noted anew under this attempt: whoever comes after us asks for ours.
    await rememberHandover(ctx, recalled);
    return recalled;
  }

  if (email.reclaimed && ctx.config.ambiguousPolicy === 'hold') return held(email);
  if (email.reclaimed) ctx.metrics.attempts.inc({ outcome: 'ambiguous' });
  if (email.ambiguousAttempts > limits.ambiguousAttempts.max) return unsendable(email, GIVEN_UP);
  if (isOverAge(email)) return unsendable(email, TOO_OLD);

  const rendered = await renderMessage(ctx, email);
  if ('fault' in rendered) return unsendable(email, rendered.fault);
  if ('waitsFor' in rendered) return postponed(email, rendered.waitsFor);

  const signed = await signEmail(ctx, email, rendered.message);
  if ('fault' in signed) return unsendable(email, signed.fault);
  if ('waitsFor' in signed) return postponed(email, signed.waitsFor);

  const envelope = envelopeOf(ctx, email);
  const sent = await ctx.relays.send({ envelope, message: signed.message, mayStart: lease.isLive });
  if (sent.end === 'lease_ended') return untouched(email);
  if (sent.end === 'no_route') return unsent(email, sent, ctx.relays.pauseSeconds());

  failpoint('after_reply');
  const outcome = readOutcome(ctx.config, email, sent);
  await rememberHandover(ctx, outcome);
  failpoint('after_note');
  return outcome;
}
