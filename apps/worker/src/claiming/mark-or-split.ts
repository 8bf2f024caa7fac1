import { findEmailsToMark, markDueByIds, markDueEmails } from '@posthorn/domain/delivery';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { WorkerContext } from '../context.js';
import { setEmailAside } from './set-email-aside.js';

/**
 * Marks the scheduled and deferred emails whose time has come as due, in one statement. If Postgres refuses the
 * statement, keeps splitting the emails in half, so that an email that cannot be marked does not hold up the others.
 * That email is set aside for a minute.
 * @returns how many emails there were to mark, up to `limit`
 * @throws Error if Postgres is unavailable, or if it refused every email
 */
export async function markOrSplit(ctx: Pick<WorkerContext, 'db' | 'log'>, limit: number): Promise<number> {
  try {
    return await markDueEmails(ctx.db, limit);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const ids = await findEmailsToMark(ctx.db, limit);
    const marked = await markHalves(ctx, ids, error);
    if (marked === 0) throw error;
    return ids.length;
  }
}

/** @param error why Postgres refused to mark all of these emails at once */
async function markHalves(
  ctx: Pick<WorkerContext, 'db' | 'log'>,
  ids: readonly string[],
  error: unknown,
): Promise<number> {
  const [emailId] = ids;
  if (emailId === undefined) return 0;
  if (ids.length === 1) {
    await setEmailAside(ctx, emailId, { error, event: 'email_not_marked_due' });
    return 0;
  }
  const middle = Math.ceil(ids.length / 2);
  return (await markSome(ctx, ids.slice(0, middle))) + (await markSome(ctx, ids.slice(middle)));
}

async function markSome(ctx: Pick<WorkerContext, 'db' | 'log'>, ids: readonly string[]): Promise<number> {
  try {
    return await markDueByIds(ctx.db, ids);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return markHalves(ctx, ids, error);
  }
}
