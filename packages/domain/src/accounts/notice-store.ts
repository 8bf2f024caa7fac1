import { toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** What identifies a notice, and what it is about. */
export type NoticeKey = {
  /** The same when the notice is tried again. */
  readonly noticeId: string;
  readonly kind: 'webhook_disabled' | 'workspace_warned' | 'workspace_paused';
  readonly workspaceId: string;
  /** The id of the webhook or workspace. */
  readonly objectId: string;
};

/** The UTC day by the clock of Postgres, because all processes share it. */
const TODAY = "(clock_timestamp() at time zone 'UTC')::date";

/**
 * The notices that a user got today. The user must be locked. Deletes those of earlier days, but keeps yesterday's,
 * because another transaction may have begun before midnight.
 */
export async function listNoticesOfToday(trx: Knex, userId: string): Promise<NoticeKey[]> {
  await trx('notices').where({ user_id: userId }).whereRaw(`day < ${TODAY} - 1`).delete();
  return trx('notices')
    .select({ noticeId: 'notice_id', kind: 'kind', workspaceId: 'workspace_id', objectId: 'object_id' })
    .where({ user_id: userId })
    .whereRaw(`day = ${TODAY}`);
}

export async function insertNotice(trx: Knex, userId: string, notice: NoticeKey): Promise<void> {
  await trx('notices').insert({ ...toColumns({ userId, ...notice }), day: trx.raw(TODAY) });
}
