import type { AcceptContext } from '@posthorn/domain/accepting';
import { countEvents, notifyWorkspaceOwners, warnOrPauseWorkspaces } from '@posthorn/domain/deliverability';
import { checkDueDomains } from '@posthorn/domain/domains';
import { eraseNextBatch } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import { type Loop, startLoop } from '@posthorn/platform/processes';

/** How often a worker looks for work. Any number of workers can share the work. */
const EVERY_MS = 5_000;
/** The log cannot be read past a statement that is running, so each one is short. */
const EVENTS_PER_STATEMENT = 1_000;

/** Checks the DNS records of due sending domains. The code that decides when a domain is due is in packages/domain. */
export function startDomainChecks(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  { intervalMs = EVERY_MS } = {},
): Loop {
  // If a round found due domains, there may be more.
  return startLoop(
    async () => (await checkDueDomains(ctx)) > 0,
    intervalMs,
    (error) => ctx.log.warn({ error }, 'domain_checks_failed'),
  );
}

/** Erases recipients, a batch at a time. Workspaces take turns, so one with many erasures does not delay the others. */
export function startErasures(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now' | 'incarnation' | 'redis'>): Loop {
  let after: string | null = null;
  return startLoop(
    async () => {
      after = await eraseNextBatch(ctx, { after });
      return after !== null;
    },
    EVERY_MS,
    (error) => ctx.log.warn({ error }, 'erasures_not_read'),
  );
}

/**
 * Counts bounces and complaints, compares them with the limits, and emails the owners of workspaces that were warned or
 * paused.
 */
export function startReputation(ctx: AcceptContext): Loop {
  return startLoop(
    async () => {
      const counted = await countEvents(ctx.db, { limit: EVENTS_PER_STATEMENT });
      await warnOrPauseWorkspaces(ctx);
      await notifyWorkspaceOwners(ctx);
      // There may be more to count.
      return counted === EVENTS_PER_STATEMENT;
    },
    EVERY_MS,
    (error) => ctx.log.warn({ error }, 'reputation_not_updated'),
  );
}
