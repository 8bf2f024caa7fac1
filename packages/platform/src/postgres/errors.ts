import { isNativeError } from 'node:util/types';

/**
 * The SQLSTATEs, or classes of them, that mean "not now": the same statement may succeed later. Source: PostgreSQL,
 * appendix A, error codes.
 */
const TEMPORARY: ReadonlyArray<readonly [state: string, when: string]> = [
  ['08', 'the connection was lost, or a pooler could not open one'],
  ['53', 'too many connections, or no memory or disk space is left'],
  ['57', 'an operator cancels statements, stops the server or drops the database, or the server is starting'],
  ['58', 'the operating system reports an error, such as that of a disk'],
  ['40', 'a deadlock, or a transaction that must be repeated'],
  ['F0', 'the configuration of the server is being repaired, or another server holds its lock file'],
  ['25006', 'the server is read-only, as after a failover'],
  ['25P03', 'a transaction was idle for too long'],
  ['25P04', 'a transaction took too long'],
  ['55P03', 'a lock was not free in time'],
  ['26000', 'a connection pooler lost a prepared statement, because its mode changed'],
  ['42P05', 'a connection pooler kept a prepared statement, for the same reason'],
  ['28000', 'the server refuses the login for now, as during a failover or with NOLOGIN'],
];

/**
 * What a server answers to a login while its operator works on the database. The same SQLSTATEs mean something else for
 * a statement, so the function of Postgres that reports the error decides. Its name is never translated.
 */
const REFUSED_LOGIN: ReadonlyArray<readonly [state: string, reportedBy: string, when: string]> = [
  ['55000', 'CheckMyDatabase', 'ALTER DATABASE ... ALLOW_CONNECTIONS false'],
  ['42501', 'CheckMyDatabase', 'REVOKE CONNECT ON DATABASE'],
  ['3D000', 'InitPostgres', 'the database is being dropped and created again'],
  ['28P01', 'auth_failed', 'the password is being changed, or has expired'],
];

/** A process that starts with one of these has a wrong DATABASE_URL, and waiting would hide that. */
const MISTAKES: ReadonlySet<string | undefined> = new Set(['42501', '3D000', '28P01']);

const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of errors that pg, knex and ioredis throw without a code. */
const WORDS =
  /Connection terminated|connection error|Connection ended|timeout exceeded|timeout expired|Timeout acquiring|Connection is closed|Stream isn't writeable|Command timed out|Unable to acquire|not queryable|in a read-only transaction|Cluster isn't ready|Cluster is ended|Too many Cluster redirections|startup nodes is available/i;

/**
 * Replies from a Redis that cannot serve requests right now: it is full, still loading, a replica, or unable to write.
 * In a cluster, a slot has no master, or is on its way to another node.
 */
const REDIS_REPLY = /^(OOM|LOADING|READONLY|MISCONF|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY) /;

/** Whether a statement waited too long for a lock that another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return findSqlState(error) === sqlStates.lockNotAvailable;
}

/** Whether no connection in the Postgres pool became free within the time limit. */
export function isPoolExhausted(error: unknown): boolean {
  return isNativeError(error) && error.name === 'KnexTimeoutError';
}

/** The object store cannot be reached, is overloaded or failed. */
export class ObjectStoreUnavailable extends Error {
  override name = 'ObjectStoreUnavailable';

  constructor(cause: unknown) {
    super('The object store is unavailable', { cause });
  }
}

/**
 * Whether Postgres or Redis is unreachable, overloaded or read-only, or the object store is unavailable. The client
 * gets a 503 and can retry.
 */
export function isUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error instanceof ObjectStoreUnavailable) return true;
  // If a host has several addresses, a failed connection has one error per address.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isUnavailable);
  if (error.name === 'ReplyError') return REDIS_REPLY.test(error.message);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    isTemporary(code) ||
    isRefusedLogin(error) ||
    SOCKET.has(code) ||
    isPoolExhausted(error) ||
    WORDS.test(error.message)
  );
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

function isTemporary(code: string): boolean {
  return SQLSTATE.test(code) && TEMPORARY.some(([state]) => code.startsWith(state));
}

function isRefusedLogin(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return REFUSED_LOGIN.some(([state, reportedBy]) => code === state && routine === reportedBy);
}

/** Whether the database, the password or the rights in DATABASE_URL are wrong, unless the operator is changing them. */
export function isWrongLogin(error: unknown): boolean {
  if (isNativeError(error) && 'errors' in error && Array.isArray(error.errors)) return error.errors.every(isWrongLogin);
  return isRefusedLogin(error) && MISTAKES.has(findSqlState(error));
}

const REFUSED = /^2[23]...$|^25006$|^55P03$|^40P01$/;
const REFUSED_BY_ERROR = /^53...$|^57014$/;

/**
 * Whether Postgres itself says that a statement was not executed, because of invalid data (SQLSTATE class 22), a
 * constraint (23), a read-only server, a lock timeout or a deadlock. Lack of resources (53) and a statement timeout
 * count only if the server stays up, because a server that goes down may do so during a commit. After any other error,
 * the statement may have been executed and only the reply may have been lost.
 */
export function isRefusedByPostgres(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  // If the server's messages are not in English, the severity is translated, and the error does not count as a refusal.
  // The caller then checks whether the commit happened.
  return REFUSED.test(String(code)) || (severity === 'ERROR' && REFUSED_BY_ERROR.test(String(code)));
}

/** The SQLSTATEs that are handled by name. Source: PostgreSQL, appendix A, error codes. */
export const sqlStates = {
  protocolViolation: '08P01',
  notNullViolation: '23502',
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  unknownStatement: '26000',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  duplicateStatement: '42P05',
  lockNotAvailable: '55P03',
  cannotConnectNow: '57P03',
} as const;

/** @returns the SQLSTATE if Postgres reported the error; another code, or undefined, if it did not */
export function findSqlState(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

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
