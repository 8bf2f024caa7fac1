import { type ClaimedEmail, type Fate, findHandover, noteHandover, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { attemptOutcomeOf, conclude, readOutcome } from './read-outcome.js';

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
 * The last worker vanished. If it noted a handover, that is the outcome and nothing is sent again;
 * if not, its attempt is ambiguous, and AMBIGUOUS_POLICY says whether to send.
 */
export async function recallHandover(ctx: WorkerContext, email: ClaimedEmail): Promise<Outcome | null> {
  const fates = await findNote(ctx, email);
  if (fates) {
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
  return ctx.config.ambiguousPolicy === 'hold' ? held(ctx, email) : null;
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

function held({ config }: WorkerContext, email: ClaimedEmail): Outcome {
  return readOutcome(config, email, {
    end: 'ambiguous',
    phase: 'reply',
    route: '',
    replies: new Map(),
    fault: 'The worker stopped while it held the email',
    faultCode: null,
    conversation: [],
  });
}
