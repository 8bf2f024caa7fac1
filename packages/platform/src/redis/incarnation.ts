import type { Db } from '@posthorn/platform/postgres';
import { readIncarnation } from './incarnation-store.js';

/**
 * Which life of the database this process works in. A restore begins a new one, and keys in Redis from earlier lives are
 * not read any more.
 */
export type Incarnation = {
  /** @throws Error if the incarnation has not been read yet */
  id(): string;
  /** Reads the incarnation from Postgres. */
  read(): Promise<void>;
  /** @returns whether the database has another incarnation than the one that was read, or is another database */
  hasChanged(): Promise<boolean>;
};

export function openIncarnation(db: Db): Incarnation {
  let known: { readonly id: string; readonly database: string | null } | null = null;
  const readNow = async () => {
    const { stored, current } = await readIncarnation(db);
    return { id: stored.id, database: current };
  };
  return {
    id() {
      if (known === null) throw new Error('The incarnation of the database has not been read');
      return known.id;
    },
    async read() {
      known = await readNow();
    },
    async hasChanged() {
      const now = await readNow();
      return known !== null && (now.id !== known.id || now.database !== known.database);
    },
  };
}
