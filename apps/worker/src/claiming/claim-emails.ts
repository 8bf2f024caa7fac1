import {
  type ClaimedEmail,
  claimEmails,
  findEmailsToMark,
  markDueByIds,
  markDueEmails,
  type PausedQueues,
  type Selection,
  setAside,
} from '@posthorn/domain/delivery';
import { toLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { assertNoOutage, groupCalls, isolateFailures, isRejection } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { DeliveryContext } from '../delivering/deliver-email.js';
import type { FreshCopy } from '../routing/fresh-copy.js';
import type { Slots } from './slots.js';

/** The context of packages/platform, plus what only a worker needs. */
export type WorkerContext = DeliveryContext & {
  readonly slots: Slots;
  /** What the worker must not claim. */
  readonly pauses: FreshCopy<PausedQueues>;
  readonly claim: ClaimEmail;
};

const MAX_EMAILS_PER_STATEMENT = 50;

/** Claims one queued email; null when it is no longer queued or another worker holds it. */
export type ClaimEmail = (id: string) => Promise<ClaimedEmail | null>;

/** Delivery jobs that claim emails at the same time share one statement. */
export function openClaimBatch(ctx: Pick<Context, 'config' | 'db' | 'tracer'>): ClaimEmail {
  const claimThese = async (ids: string[]) => {
    const startedAt = performance.now();
    const emails = await claimEmails(ctx.db, ids, ctx.config.leaseSeconds);
    traceClaim(ctx, emails, startedAt);
    return sortByIds(ids, emails);
  };
  const claim = (ids: string[]) => isolateFailures(ids, claimThese);
  return groupCalls<string, ClaimedEmail | null>(claim, { max: MAX_EMAILS_PER_STATEMENT, inFlight: 2 });
}

function sortByIds(ids: readonly string[], claimed: readonly ClaimedEmail[]): Array<ClaimedEmail | null> {
  const byId = new Map(claimed.map((email) => [email.id, email]));
  // If a group contains the same id twice, only the first claim gets the email.
  return ids.map((id) => {
    const email = byId.get(id) ?? null;
    byId.delete(id);
    return email;
  });
}

/**
 * Claims emails in one statement. If Postgres refuses the statement, finds the email that cannot be claimed, so that it
 * does not hold up the others, and sets it aside for a minute. If Postgres becomes unavailable meanwhile, returns what
 * it has claimed so far.
 * @throws Error if Postgres is unavailable, or if it refused every email
 */
export async function claimOrSetAside(
  ctx: Pick<Context, 'db' | 'log' | 'tracer'>,
  { claimMany, find, claimByIds }: Selection,
): Promise<ClaimedEmail[]> {
  const startedAt = performance.now();
  try {
    const emails = await claimMany();
    traceClaim(ctx, emails, startedAt);
    return emails;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const claimThese = async (ids: string[]) => sortByIds(ids, await claimByIds(ids));
    const onRefused = buildSetAside(ctx, 'email_not_claimed');
    const results = await isolateFailures(await find(), claimThese, { onRefused });
    const claimed = results.flatMap((result) => (result === null || isRejection(result) ? [] : [result]));
    if (claimed.length === 0) throw error;
    return claimed;
  }
}

/**
 * Marks the scheduled and deferred emails whose time has come as due, in one statement. An email that cannot be marked
 * is found and set aside, as in `claimOrSetAside`.
 * @returns how many emails there were to mark, up to `limit`
 * @throws Error if Postgres is unavailable, or if it refused every email
 */
export async function markDueOrSetAside(ctx: Pick<Context, 'db' | 'log'>, limit: number): Promise<number> {
  try {
    return await markDueEmails(ctx.db, limit);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const ids = await findEmailsToMark(ctx.db, limit);
    const markThese = async (some: string[]) => {
      await markDueByIds(ctx.db, some);
      return some;
    };
    const results = await isolateFailures(ids, markThese, { onRefused: buildSetAside(ctx, 'email_not_marked_due') });
    assertNoOutage(results);
    if (results.every((result) => isRejection(result))) throw error;
    return ids.length;
  }
}

const SET_ASIDE_SECONDS = 60;

/** @returns a function that logs that Postgres refused to change an email, and hides it from the sweep for a minute */
function buildSetAside(ctx: Pick<Context, 'db' | 'log'>, event: string) {
  return async (id: string, error: unknown) => {
    const origin = await setAside(ctx.db, id, SET_ASIDE_SECONDS).catch(() => null);
    ctx.log.error({ error, ...toLogFields({ id, ...origin }) }, event);
  };
}

/** Records a claim of several emails after it has ended, because only then is it known which of them are traced. */
function traceClaim({ tracer }: Pick<Context, 'tracer'>, emails: readonly ClaimedEmail[], startedAt: number): void {
  if (tracer === null) return;
  const attributes = {
    'messaging.system': 'posthorn',
    'messaging.operation.name': 'claim',
    'messaging.operation.type': 'receive',
    'messaging.batch.message_count': emails.length,
  };
  tracer.startWork('claim emails', emails, { kind: 'client', attributes, startedAt })?.end();
}
