import { type ClaimedEmail, type Fate, findHandover, noteHandover, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { attemptOutcomeOf, conclude } from './read-outcome.js';

/** Before Postgres knows it: who of the recipients is in the next hop's hands. Redis may be away. */
export async function rememberHandover(
  ctx: Pick<WorkerContext, 'config' | 'redis' | 'log'>,
  outcome: Outcome,
): Promise<void> {
  if (!outcome.fates.some(({ status }) => status === 'sent')) return;
  try {
    // Alone and at once: what waits for others, if only for a turn, is a second copy if we die meanwhile.
    await noteHandover(ctx.redis, outcome, ctx.config.leaseSeconds);
  } catch (error) {
    ctx.log.debug({ error, emailId: outcome.id }, 'handover_not_noted');
  }
}

/**
 * If the last worker vanished, but noted a handover before, that is the outcome and nothing is sent again.
 * @returns null when none vanished; also when no note is found or Redis cannot be asked, and how that worker's
 *   attempt ended is not known
 */
export async function recallHandover(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  email: ClaimedEmail,
): Promise<Outcome | null> {
  if (!email.reclaimed) return null;
  const fates = await findNote(ctx, email);
  if (fates === null) return null;
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

async function findNote(
  ctx: Pick<WorkerContext, 'redis' | 'log'>,
  { id, attempt }: ClaimedEmail,
): Promise<readonly Fate[] | null> {
  try {
    return await findHandover(ctx.redis, { id, attempt: attempt - 1 });
  } catch (error) {
    ctx.log.warn({ error, emailId: id }, 'handover_not_asked');
    return null;
  }
}
