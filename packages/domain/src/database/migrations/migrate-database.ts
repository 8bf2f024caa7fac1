import { alignEventPositions, areEventPositionsAligned } from '../align-event-positions.js';
import type { Db } from '../connect.js';
import { isUpToDate, type MigrateOptions, runMigrations } from '../migrating/run-migrations.js';
import type { Schema } from '../migrating/schema.js';
import { migrations } from './index.js';

export const schema: Schema = { migrations, align: alignEventPositions, isAligned: areEventPositionsAligned };

/** Brings a database to the schema of this version. Like `runMigrations`. */
export function migrateDatabase(databaseUrl: string, options?: MigrateOptions): Promise<string[]> {
  return runMigrations(databaseUrl, schema, options);
}

/** Whether a database has the schema of this version. Like `isUpToDate`. */
export function isMigrated(db: Db): Promise<boolean> {
  return isUpToDate(db, schema);
}
