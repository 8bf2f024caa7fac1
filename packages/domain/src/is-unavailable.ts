import { isNativeError } from 'node:util/types';

/** SQLSTATE classes that mean "not now": connection (08), resources (53), operator (57), the system below (58), lock timeout (55P03), deadlock and serialization (40). */
const SQLSTATE = /^(08|53|57|58|40)...$|^55P03$|^25P03$/;

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

/** pg and knex throw these without any code. */
const WORDS =
  /Connection terminated|connection error|Connection ended|timeout exceeded|timeout expired|Timeout acquiring|Connection is closed|Stream isn't writeable|Command timed out|Unable to acquire|not queryable/i;

/** Redis is full, loading, a replica, or may not write: these replies come from a server that will not serve now. */
const REDIS_REPLY = /^(OOM|LOADING|READONLY|MISCONF|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY) /;

/** Whether it was the pool of connections to Postgres that had none to give, for as long as we wait for one. */
export function isPoolExhausted(error: unknown): boolean {
  return isNativeError(error) && error.name === 'KnexTimeoutError';
}

/** Whether an error says that Postgres or Redis cannot be reached or is overloaded: a 503, worth a retry. */
export function isUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  // A host with several addresses fails with one error for each.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isUnavailable);
  if (error.name === 'ReplyError') return REDIS_REPLY.test(error.message);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return SQLSTATE.test(code) || SOCKET.has(code) || isPoolExhausted(error) || WORDS.test(error.message);
}
