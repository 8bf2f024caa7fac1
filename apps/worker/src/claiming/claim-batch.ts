import { type ClaimedEmail, claimEmails } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { flushEachAlone, grouped, type Rejection } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';
import { traceClaim } from './trace-claim.js';

const MAX_EMAILS_PER_STATEMENT = 50;

/** Claims one queued email; null when it is no longer queued or another worker holds it. */
export type ClaimEmail = (id: string) => Promise<ClaimedEmail | null>;

/** Delivery jobs that claim emails at the same time share one statement. */
export function openClaimBatch(ctx: Pick<Context, 'config' | 'db' | 'tracer'>): ClaimEmail {
  return grouped((ids: string[]) => claimTogether(ctx, ids), { max: MAX_EMAILS_PER_STATEMENT, inFlight: 2 });
}

async function claimTogether(
  ctx: Pick<Context, 'config' | 'db' | 'tracer'>,
  ids: string[],
): Promise<Array<ClaimedEmail | null | Rejection>> {
  const startedAt = performance.now();
  try {
    const emails = await claimEmails(ctx.db, ids, ctx.config.leaseSeconds);
    traceClaim(ctx, emails, startedAt);
    return inOrder(ids, emails);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return flushEachAlone((alone: string[]) => claimTogether(ctx, alone), ids, error);
  }
}

function inOrder(ids: readonly string[], claimed: readonly ClaimedEmail[]): Array<ClaimedEmail | null> {
  const byId = new Map(claimed.map((email) => [email.id, email]));
  // If a group contains the same id twice, only the first claim gets the email.
  return ids.map((id) => {
    const email = byId.get(id) ?? null;
    byId.delete(id);
    return email;
  });
}
