export { refuseWrongRedis } from './refuse-wrong-redis.js';
export { readAndWatchIncarnation, untilDatabaseReady, untilSchemaReady } from './until-database-ready.js';
