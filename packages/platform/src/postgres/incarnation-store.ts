import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Db } from './connect.js';

/**
 * A number of the database's history: each restore from a backup begins a new incarnation (Oracle's term).
 */
export type Incarnation = {
  /** @throws Error if the incarnation has not been read yet */
  id(): string;
  /**
   * The name of a key in Redis that repeats what Postgres knows. It begins with the id, so that what it says about
   * emails that a restore has removed is never read.
   */
  key(name: string): string;
  /** Reads the incarnation from Postgres. */
  read(): Promise<void>;
  /** @returns whether the database has another incarnation than the one that was read, or is another database */
  hasChanged(): Promise<boolean>;
};

export function createIncarnation(db: Db): Incarnation {
  let known: { readonly id: string; readonly database: string | null } | null = null;
  const readNow = async () => {
    const { stored, current } = await readIncarnation(db);
    return { id: stored.id, database: current };
  };
  const id = () => {
    if (known === null) throw new Error('The incarnation of the database has not been read');
    return known.id;
  };
  return {
    id,
    key: (name) => `${id()}:${name}`,
    async read() {
      known = await readNow();
    },
    async hasChanged() {
      const now = await readNow();
      return known !== null && (now.id !== known.id || now.database !== known.database);
    },
  };
}

/** `database` names the cluster and the database; null if no process has been able to read that yet. */
type StoredIncarnation = { readonly id: string; readonly database: string | null };

/** Short, because it is part of many keys in Redis. There are few restores, so ids hardly ever repeat. */
const ID_BYTES = 5;

/**
 * What is stored, and as `current` the name of the database that the connection leads to; null if Postgres does not let
 * us read it.
 */
export type IncarnationFound = { readonly stored: StoredIncarnation; readonly current: string | null };

export async function readIncarnation(db: Knex): Promise<IncarnationFound> {
  const { rows } = await db.raw(
    `select id, database, has_function_privilege('pg_control_system()', 'execute') as "mayName" from incarnation`,
  );
  const [{ id, database, mayName }] = rows;
  return { stored: { id, database }, current: mayName ? await readCurrentDatabase(db) : null };
}

/**
 * A dump that is restored in another cluster or database has another name than before. A failover and a restart change
 * nothing: a standby has the identifier of its primary. Without the privilege, Postgres would refuse the statement even
 * if it did not reach the function.
 */
async function readCurrentDatabase(db: Knex): Promise<string> {
  const { rows } = await db.raw(
    `select system_identifier || '/' || oid as name
     from pg_control_system(), pg_database where datname = current_database()`,
  );
  return rows[0].name;
}

/** Waits until no other transaction is changing the incarnation, and keeps others from changing it. */
export async function lockIncarnation(trx: Knex): Promise<void> {
  await trx.raw('select from incarnation for update');
}

/** Stores which database the incarnation belongs to. */
export async function storeDatabaseName(trx: Knex, database: string): Promise<void> {
  await trx('incarnation').update({ database });
}

/** @returns the new id */
export async function renewIncarnation(trx: Knex, database: string | null): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('hex');
  await trx('incarnation').update({ id, database, created_at: trx.raw('now()') });
  return id;
}
