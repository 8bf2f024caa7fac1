import { prepareIfCopied } from '@posthorn/domain/governance';
import type { Context } from '@posthorn/platform';
import { whenReachable } from './when-reachable.js';

/** How long a process can go on after a restore that happened while it was running. */
const CHECK_MS = 2_000;

/**
 * Reads the incarnation of the database when a process starts. If the database is a copy, for example from a dump, this
 * first does what `posthorn restore prepare` does. From then on, it looks whether the incarnation changes.
 * @param restart called if it has changed, because what the process has in memory may then be wrong
 */
export async function readAndWatchIncarnation(
  ctx: Pick<Context, 'config' | 'db' | 'incarnation' | 'log'>,
  restart: (reason: string) => void,
): Promise<void> {
  const prepared = await whenReachable(ctx, () => prepareIfCopied(ctx));
  if (prepared) ctx.log.error(prepared, 'database_is_a_copy');
  await whenReachable(ctx, ctx.incarnation.read);
  const timer = setInterval(async () => {
    // While Postgres cannot be read, the process cannot change anything either.
    if (!(await ctx.incarnation.hasChanged().catch(() => false))) return;
    clearInterval(timer);
    restart('database_was_restored');
  }, CHECK_MS).unref();
}
