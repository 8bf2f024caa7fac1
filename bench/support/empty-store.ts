import type { Context, Db } from '@posthorn/domain';

/**
 * Removes all emails, what was counted for them, and all that Redis holds, as if nothing had been sent
 * yet. No worker may run; an API may.
 */
export async function emptyStore(db: Db, { redis }: Pick<Context, 'redis'>): Promise<void> {
  await db.raw(`
    truncate emails, email_contents, email_recipients, email_tags, delivery_attempts, email_events,
      idempotency_keys, usage`);
  await redis.flushdb('SYNC');
}
