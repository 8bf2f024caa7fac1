import type { ClaimedEmail } from '@posthorn/domain/delivery';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { WorkerContext } from '../context.js';
import { setEmailAside } from './set-email-aside.js';
import { traceClaim } from './trace-claim.js';

/** How to claim a selection of emails: all at once, or found first and then claimed one by one. */
export type Selection = {
  claimMany(): Promise<ClaimedEmail[]>;
  find(): Promise<string[]>;
  claimOne(id: string): Promise<ClaimedEmail[]>;
};

/**
 * Claims emails in one statement. If Postgres refuses the statement, claims them one by one, so that an email that
 * cannot be claimed does not hold up the others. That email is set aside for a minute.
 * @throws Error if Postgres is unavailable, or if it refused every email
 */
export async function claimManyOrOneByOne(
  ctx: Pick<WorkerContext, 'db' | 'log' | 'tracer'>,
  selection: Selection,
): Promise<ClaimedEmail[]> {
  const startedAt = performance.now();
  try {
    const emails = await selection.claimMany();
    traceClaim(ctx, emails, startedAt);
    return emails;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const claimed = await claimOneByOne(ctx, selection);
    if (claimed.length === 0) throw error;
    return claimed;
  }
}

/** Stops when Postgres becomes unavailable, and returns what it has claimed so far. */
async function claimOneByOne(
  ctx: Pick<WorkerContext, 'db' | 'log' | 'tracer'>,
  { find, claimOne }: Selection,
): Promise<ClaimedEmail[]> {
  const claimed: ClaimedEmail[] = [];
  for (const emailId of await find()) {
    try {
      claimed.push(...(await claimOne(emailId)));
    } catch (error) {
      if (isUnavailable(error)) break;
      await setEmailAside(ctx, emailId, { error, event: 'email_not_claimed' });
    }
  }
  return claimed;
}
