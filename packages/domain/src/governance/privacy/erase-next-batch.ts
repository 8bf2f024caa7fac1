import { forgetCounters } from '@posthorn/domain/workspaces';
import { openSecret } from '@posthorn/platform/secrets';
import type { EraseContext } from './erase-emails.js';
import { runBatch } from './erasure-steps.js';
import { lockDueErasure, postponeErasure, saveProgress } from './erasure-store.js';
import type { Refund } from './stop-sending.js';

/**
 * A request to a webhook takes up to 15 seconds, and its result is recorded soon after that. Two minutes after an email
 * was erased, no result can arrive that repeats the old event.
 */
const LATE_RESPONSE_SECONDS = 120;
/** How long an erasure waits after its batch failed. */
const RETRY_SECONDS = 60;

/**
 * Does the next batch of one erasure that is due, in a short transaction of its own. Any number of processes can share
 * the work. If a process stops, nothing of its batch is stored, and another process repeats it.
 * @returns false if no erasure is due
 */
export async function eraseNextBatch(
  ctx: EraseContext,
  { lateResponseSeconds = LATE_RESPONSE_SECONDS }: { lateResponseSeconds?: number } = {},
): Promise<boolean> {
  let id: string | null = null;
  try {
    const batch = await ctx.db.transaction(async (trx) => {
      const locked = await lockDueErasure(trx);
      if (locked === null) return null;
      ({ id } = locked);
      const address = openSecret(ctx.config, locked.sealed, id).toString();
      const done = await runBatch(ctx, trx, { ...locked, address }, lateResponseSeconds);
      await saveProgress(trx, id, done.progress);
      return done;
    });
    if (batch) forgetAll(ctx, batch.refunds);
    return batch !== null;
  } catch (error) {
    if (id === null) throw error;
    ctx.log.warn({ error, erasure: id }, 'erasure_failed');
    await postponeErasure(ctx.db, id, RETRY_SECONDS);
    return true;
  }
}

function forgetAll(ctx: Pick<EraseContext, 'incarnationKeys' | 'redis'>, refunds: readonly Refund[]): void {
  const days = new Map(refunds.map((refund) => [`${refund.workspaceId}/${refund.usageDay}`, refund]));
  for (const { workspaceId, usageDay } of days.values())
    forgetCounters(ctx, workspaceId, [usageDay.slice(0, 7), usageDay]);
}
