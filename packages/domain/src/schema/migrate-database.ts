import { type Db, isUpToDate, type MigrateOptions, runMigrations, type Schema } from '@posthorn/platform/postgres';
import { alignEventPositions, areEventPositionsAligned } from './align-event-positions.js';
import { migrations } from './migrations/index.js';

export const schema: Schema = { migrations, align: alignEventPositions, isAligned: areEventPositionsAligned };

/** Brings a database to the schema of this version. Like `runMigrations`. */
export function migrateDatabase(databaseUrl: string, options?: MigrateOptions): Promise<string[]> {
  return runMigrations(databaseUrl, schema, options);
}

/** Whether a database has the schema of this version. Like `isUpToDate`. */
export function isMigrated(db: Db): Promise<boolean> {
  return isUpToDate(db, schema);
}
