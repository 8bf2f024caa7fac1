import {
  type Db,
  isUpToDate,
  type MigrateOptions,
  type Migration,
  runMigrations,
  type Schema,
} from '@posthorn/platform/postgres';
import { alignEventPositions, areEventPositionsAligned } from './event-positions-store.js';
import { firstSchema } from './migrations/0001-schema.js';

/** Listed by hand, in the order in which they are applied. */
export const migrations: readonly Migration[] = [firstSchema];

export const schema: Schema = { migrations, align: alignEventPositions, isAligned: areEventPositionsAligned };

/** Brings a database to the schema of this version. Like `runMigrations`. */
export function migrateDatabase(databaseUrl: string, options?: MigrateOptions): Promise<string[]> {
  return runMigrations(databaseUrl, schema, options);
}

/** Whether a database has the schema of this version. Like `isUpToDate`. */
export function isMigrated(db: Db): Promise<boolean> {
  return isUpToDate(db, schema);
}
