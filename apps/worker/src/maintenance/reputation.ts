import type { AcceptContext } from '@posthorn/domain/accepting';
import { countEvents, notifyWorkspaceOwners, warnOrPauseWorkspaces } from '@posthorn/domain/feedback';
import { type Loop, startLoop } from '@posthorn/platform/processes';

const EVERY_MS = 5_000;
/** The log cannot be read past a statement that is running, so each one is short. */
const EVENTS_PER_STATEMENT = 1_000;

/**
 * Counts bounces and complaints, compares them with the limits, and emails the owners of workspaces that were warned or
 * paused. Any number of workers can share the work.
 */
export function startReputation(ctx: AcceptContext): Loop {
  return startLoop(() => watchReputation(ctx), EVERY_MS);
}

/** @returns whether there are more events to count */
async function watchReputation(ctx: AcceptContext): Promise<boolean> {
  try {
    const { simulatorDomain } = ctx.config;
    const counted = await countEvents(ctx.db, { simulatorDomain, limit: EVENTS_PER_STATEMENT });
    await warnOrPauseWorkspaces(ctx);
    await notifyWorkspaceOwners(ctx);
    return counted === EVENTS_PER_STATEMENT;
  } catch (error) {
    ctx.log.warn({ error }, 'reputation_not_updated');
    return false;
  }
}
