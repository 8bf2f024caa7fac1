import { sqlStates } from './sql-states.js';

/** `DATABASE_URL` leads to a connection pooler that works in a way in which Posthorn cannot. */
export class PoolerError extends Error {
  override name = 'PoolerError';
  /**
   * A process refuses to start with such a pooler. If the pooler becomes one while the process runs, requests get a 503.
   */
  readonly code = sqlStates.cannotConnectNow;

  /** @param what what is wrong and what to do, as it continues a sentence that begins with the pooler */
  constructor(what: string) {
    super(`DATABASE_URL leads to a connection pooler (such as PgBouncer) ${what}`);
  }
}
