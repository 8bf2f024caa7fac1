import { isNativeError } from 'node:util/types';
import { sqlStateOf, sqlStates } from './sql-states.js';

/**
 * SQLSTATEs of temporary failures: connection (08), resources (53), operator intervention (57), system error (58),
 * deadlock and serialization (40), lock timeout (55P03), idle-in-transaction timeout (25P03). During a failover, a
 * server may also be read-only (25006) or refuse our login (28000). A connection pooler may mix up prepared statements
 * (26000, 42P05) when its mode changes.
 */
const SQLSTATE = /^(08|53|57|58|40)...$|^55P03$|^25P03$|^25006$|^28000$|^26000$|^42P05$/;

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
  return sqlStateOf(error) === sqlStates.lockNotAvailable;
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
  return SQLSTATE.test(code) || SOCKET.has(code) || isPoolExhausted(error) || WORDS.test(error.message);
}
