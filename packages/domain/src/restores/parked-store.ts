import type { Knex } from 'knex';

/**
 * Parks all unfinished emails, including scheduled ones and those that a worker was sending. An email that was being
 * sent keeps its lease, so that its attempt counts as ambiguous when it is released.
 * @returns how many were parked now
 */
export async function parkAllEmails(trx: Knex): Promise<number> {
  const { rowCount } = await trx.raw('update deliveries set is_due = null where is_due is not null');
  return rowCount;
}

/** An email with a lease was being sent when the backup was taken. Its lease has expired, so a sweep claims it. */
export async function unparkEmails(db: Knex, ids: readonly string[]): Promise<number> {
  const { rowCount } = await db.raw(
    `update deliveries set is_due = due_at <= now() or lease_until is not null
     where email_id = any(?::uuid[]) and is_due is null`,
    [[...ids]],
  );
  return rowCount;
}
