import type { Knex } from 'knex';
import type { Migration } from './migration.js';
import type { Schema } from './schema.js';
import { SchemaError } from './schema-error.js';

/** A migration that was applied, by this version or by another one. */
export type AppliedMigration = {
  readonly name: string;
  /** The migration that a version must know to work with the schema from here on; null if every version can. */
  readonly requires: string | null;
};

/** The migrations that were applied, or null if there is no table of migrations yet. */
export async function readAppliedMigrations(db: Knex): Promise<AppliedMigration[] | null> {
  const { rows: found } = await db.raw("select to_regclass('migrations') as found");
  if (found[0].found === null) return null;
  return db('migrations').select('name', 'requires').orderBy('name');
}

/** What a version must know to work with the schema after this migration. */
export function requirementOf({ name, kind, unusedSince }: Migration): string | null {
  return kind === 'expand' ? null : (unusedSince ?? name);
}

/**
 * The migrations that this version still has to apply. A database may be newer than this version, as long as newer
 * versions have only added to it: an old process can then restart during an upgrade.
 * @throws SchemaError if something was removed that this version uses, or if the database has another history
 */
export function pendingMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  assertNothingRemoved(applied, known);
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !names.has(name));
  const unknown = [...names].filter((name) => !known.has(name));
  // Each release has the migrations of all earlier ones. So a database that lacks some of ours but has others was not
  // created by a release before or after this one.
  if (pending.length > 0 && unknown.length > 0)
    throw new SchemaError(
      `The database has migrations that this version does not know: ${unknown.join(', ')}. Use an empty database, or the version that created this one.`,
    );
  return pending;
}

function assertNothingRemoved(applied: readonly AppliedMigration[], known: ReadonlySet<string>): void {
  const removal = applied.find(({ requires }) => requires !== null && !known.has(requires));
  if (!removal) return;
  throw new SchemaError(
    `This version of Posthorn is too old for the database: migration ${removal.name} has removed something that this version uses. Start a version that knows migration ${removal.requires}.`,
  );
}

/**
 * Whether the database has everything that this version needs.
 * @throws SchemaError like `pendingMigrations`
 */
export async function isSchemaReady(db: Knex, { migrations, isAligned }: Schema): Promise<boolean> {
  const applied = await readAppliedMigrations(db);
  if (applied === null || pendingMigrations(applied, migrations).length > 0) return false;
  return isAligned(db);
}
