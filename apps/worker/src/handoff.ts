import {
  type ClaimedEmail,
  type Fate,
  findHandovers,
  noteHandover,
  type Outcome,
  pendingRecipients,
} from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { attemptOutcomeOf, conclude } from './read-outcome.js';

/** Before Postgres knows it: who of the recipients is in the next hop's hands. Redis may be away. */
export async function rememberHandover(
  ctx: Pick<WorkerContext, 'config' | 'redis' | 'log'>,
  outcome: Outcome,
): Promise<void> {
  if (!tellsOfHandover(outcome.fates)) return;
  try {
    // Alone and at once: what waits for others, if only for a turn, is a second copy if we die meanwhile.
    await noteHandover(ctx.redis, outcome, ctx.config.leaseSeconds);
  } catch (error) {
    ctx.log.debug({ error, emailId: outcome.id }, 'handover_not_noted');
  }
}

/**
 * If the last worker vanished, but a handover was noted that Postgres knows nothing of, that is the outcome and
 * nothing is sent again.
 * @returns null when none vanished; also when no such note is found or Redis cannot be asked, and how the last
 *   attempt ended is not known
 */
export async function recallHandover(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  email: ClaimedEmail,
): Promise<Outcome | null> {
  if (!email.reclaimed) return null;
  const notes = await findNotes(ctx, email);
  const fates = notes.map((note) => newsOf(note, email)).find(tellsOfHandover);
  if (!fates) return null;
  return conclude(email, fates, {
    retryInSeconds: 0,
    charged: false,
    outcome: attemptOutcomeOf(fates),
    phase: 'reply',
    route: null,
    conversation: [],
    event: { type: 'recovered', detail: 'The worker stopped after the server had answered; its note was used' },
  });
}

async function findNotes(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  email: ClaimedEmail,
): Promise<Array<readonly Fate[]>> {
  try {
    return await findHandovers(ctx.redis, email);
  } catch (error) {
    ctx.log.warn({ error, emailId: email.id }, 'handover_not_asked');
    return [];
  }
}

/**
 * A note whose outcome was recorded says nothing of the attempt that was lost: whom it calls sent is no longer
 * pending. Taken for that attempt's, it would have those it deferred sent to again, also where
 * AMBIGUOUS_POLICY=hold forbids it.
 */
function newsOf(note: readonly Fate[], email: ClaimedEmail): readonly Fate[] {
  const pending = new Set(pendingRecipients(email).map(({ position }) => position));
  return note.filter(({ position }) => pending.has(position));
}

function tellsOfHandover(fates: readonly Fate[]): boolean {
  return fates.some(({ status }) => status === 'sent');
}
