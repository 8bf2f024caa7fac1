import {
  type ClaimedEmail,
  findHandoffMarkers,
  type Outcome,
  pendingRecipients,
  type RecipientResult,
  writeHandoffMarker,
} from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { attemptOutcomeOf, buildOutcome } from './outcomes/build-outcome.js';

/** Marks in Redis which recipients the next hop has taken, before Postgres knows it. Redis may be away. */
export async function saveHandoff(
  ctx: Pick<WorkerContext, 'config' | 'redis' | 'log'>,
  outcome: Outcome,
): Promise<void> {
  if (!hasSent(outcome.recipientResults)) return;
  try {
    // Written alone and at once: if we crash while it waits for others, the email is sent twice.
    await writeHandoffMarker(ctx.redis, outcome, ctx.config.leaseSeconds);
  } catch (error) {
    ctx.log.debug({ error, emailId: outcome.id }, 'handoff_marker_not_written');
  }
}

/**
 * If the last worker stopped after the server took the message, but before Postgres knew, its marker is the
 * outcome, and nothing is sent again.
 * @returns null when no worker stopped; also when no marker is found or Redis is away, and then nobody knows
 *   how the last attempt ended
 */
export async function recoverHandoff(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  email: ClaimedEmail,
): Promise<Outcome | null> {
  if (!email.reclaimed) return null;
  const markers = await readMarkers(ctx, email);
  const results = markers.map((marker) => stillPending(marker, email)).find(hasSent);
  if (!results) return null;
  return buildOutcome(email, results, {
    retryInSeconds: 0,
    charged: false,
    outcome: attemptOutcomeOf(results),
    phase: 'reply',
    route: null,
    conversation: [],
    event: {
      type: 'recovered',
      detail: 'The worker stopped after the server accepted the message. The result was recovered from its marker.',
    },
  });
}

async function readMarkers(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  email: ClaimedEmail,
): Promise<Array<readonly RecipientResult[]>> {
  try {
    return await findHandoffMarkers(ctx.redis, email);
  } catch (error) {
    ctx.log.warn({ error, emailId: email.id }, 'handoff_marker_not_read');
    return [];
  }
}

/**
 * Drops what Postgres already knows. A marker of a recorded attempt says nothing about the lost one: the
 * recipients it calls sent are no longer pending. Used for the lost attempt, it would send again to those it
 * deferred, even where AMBIGUOUS_POLICY=hold forbids that.
 */
function stillPending(marker: readonly RecipientResult[], email: ClaimedEmail): readonly RecipientResult[] {
  const pending = new Set(pendingRecipients(email).map(({ position }) => position));
  return marker.filter(({ position }) => pending.has(position));
}

function hasSent(results: readonly RecipientResult[]): boolean {
  return results.some(({ status }) => status === 'sent');
}
