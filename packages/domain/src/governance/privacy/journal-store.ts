import type { Knex } from 'knex';
import type { JournalEntry } from './journal-entry.js';

/** The next erasures of all workspaces after the one with the id `after`, in the order of their ids. */
export async function listJournal(db: Knex, after: string, limit: number): Promise<JournalEntry[]> {
  return db('erasures')
    .select({
      id: 'id',
      workspaceId: 'workspace_id',
      address: 'address',
      secretKeyId: 'secret_key_id',
      requestedAt: 'requested_at',
      below: 'below',
    })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
}

/**
 * Puts an erasure back to its beginning, or adds it if the database does not have it.
 * @returns false if its workspace does not exist
 */
export async function restartErasure(trx: Knex, entry: JournalEntry): Promise<boolean> {
  const { rowCount } = await trx.raw(
    `insert into erasures (id, workspace_id, address, secret_key_id, requested_at, below)
     select :id::uuid, workspaces.id, :address::bytea, :secretKeyId, :requestedAt::timestamptz, :below::uuid
     from workspaces where workspaces.id = :workspaceId
     on conflict (id) do update
       set step = 'recipients', is_in_test_mail = false, place = null, due_at = now(), finished_at = null,
         position = event_position()`,
    { ...entry },
  );
  return rowCount > 0;
}
