export { isMigrated, migrateDatabase, schema } from './migrate-database.js';
export { migrations } from './migrations/index.js';
