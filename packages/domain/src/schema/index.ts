export { isMigrated, migrateDatabase, migrations, schema } from './migrate-database.js';
