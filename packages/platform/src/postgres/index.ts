export { ADVISORY_LOCKS } from './advisory-locks.js';
export { listColumns, readTextsApart, toColumns, toStorableText } from './columns.js';
export { connectDatabase, type Db } from './connect.js';
export {
  findSqlState,
  isLockTimeout,
  isPoolExhausted,
  isRefusedByPostgres,
  isUnavailable,
  isWrongLogin,
  ObjectStoreUnavailable,
  PoolerError,
  sqlStates,
} from './errors.js';
export {
  createIncarnation,
  type Incarnation,
  type IncarnationFound,
  lockIncarnation,
  readIncarnation,
  renewIncarnation,
  storeDatabaseName,
} from './incarnation-store.js';
export { DirectConnectionError, type Migration, type Schema, SchemaError } from './migrating/migration.js';
export { isUpToDate, type MigrateOptions, runMigrations } from './migrating/run-migrations.js';
export {
  findEdge,
  inIndexOrder,
  type ListPage,
  listPageById,
  listSizedPage,
  type Pagination,
  readSizedPage,
  toPage,
} from './pagination.js';
export { parseDatabaseUrl } from './parse-database-url.js';
export {
  checkWritable,
  countLockWaits,
  readDatabaseTime,
  toWritability,
  WRITABILITY,
  type Writability,
  writabilities,
} from './server-state.js';
export { type PoolMode, SESSION_SETTINGS } from './session.js';
export {
  deleteInBatches,
  inPipeline,
  inPipelinedTransaction,
  inSnapshot,
  type Send,
  type Statement,
} from './transactions.js';
