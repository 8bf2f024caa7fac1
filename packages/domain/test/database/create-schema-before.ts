import { type Context, migrateDatabase } from '@posthorn/domain';
import { migrations } from '../../src/database/migrations/index.js';

/** Replaces the schema of the database with the one before a migration. @param number such as `0010` */
export async function createSchemaBefore({ config, db }: Context, number: string): Promise<void> {
  await db.raw('drop schema public cascade; create schema public');
  await migrateDatabase(config.databaseUrl, { migrations: migrations.filter(({ name }) => name < number) });
}
