import type { Knex } from 'knex';

/** A workspace that no other transaction can pause or resume. */
export type LockedWorkspace = {
  readonly id: string;
  readonly name: string;
  /** Why it is paused; null if it is not. */
  readonly pauseReason: string | null;
};

/** @returns null if there is no such workspace, or if it holds test mail, which is never paused */
export async function lockForPause(trx: Knex, id: string): Promise<LockedWorkspace | null> {
  const row = await trx('workspaces')
    .select('id', 'name', { pauseReason: 'pause_reason' })
    .where({ id })
    .whereNull('test_of')
    .forNoKeyUpdate()
    .first();
  return row ?? null;
}

export async function writePause(trx: Knex, id: string, reason: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: trx.raw('now()'), pause_reason: reason });
}

export async function clearPause(trx: Knex, id: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: null, pause_reason: null, resumed_at: trx.raw('now()') });
}
