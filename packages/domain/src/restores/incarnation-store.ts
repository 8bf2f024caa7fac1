import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';

/** `database` names the cluster and the database; null if Posthorn may not read them. */
export type StoredIncarnation = { readonly id: string; readonly database: string | null };

/** Short, because it is part of many keys in Redis. There are few restores, so ids hardly ever repeat. */
const ID_BYTES = 5;

/**
 * A dump that is restored in another cluster or database has another name than before. A failover and a restart change
 * nothing: a standby has the identifier of its primary.
 */
const DATABASE = `case when has_function_privilege('pg_control_system()', 'execute') then
    (select system_identifier from pg_control_system()) || '/'
      || (select oid from pg_database where datname = current_database())
  end`;

/** @returns what is stored, and as `current` the database that this connection leads to */
export async function readIncarnation(
  db: Knex,
): Promise<{ readonly stored: StoredIncarnation; readonly current: StoredIncarnation['database'] }> {
  const { rows } = await db.raw(`select id, database, ${DATABASE} as current from incarnation`);
  const [{ id, database, current }] = rows;
  return { stored: { id, database }, current };
}

/** Waits until no other transaction is changing the incarnation, and keeps others from changing it. */
export async function lockIncarnation(trx: Knex): Promise<void> {
  await trx.raw('select from incarnation for update');
}

/** Stores which database the incarnation belongs to. */
export async function nameDatabase(trx: Knex): Promise<void> {
  await trx.raw(`update incarnation set database = ${DATABASE} where database is null`);
}

/** @returns the new id */
export async function renewIncarnation(trx: Knex): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('hex');
  await trx.raw(`update incarnation set id = ?, database = ${DATABASE}, created_at = now()`, [id]);
  return id;
}
