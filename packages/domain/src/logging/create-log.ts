import { isNativeError } from 'node:util/types';
import { pino } from 'pino';
import type { LogLevel } from '../config/config.js';
import { limitedLog } from './limited-log.js';
import type { Log } from './log.js';

/**
 * JSON lines on standard output. An error is cut down to what cannot hold a client's data:
 * Postgres puts column values into `detail`, Redis clients put command arguments on the error.
 */
export function createLog(app: string, level: LogLevel): Log {
  const lines = pino({
    level,
    base: { app, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: describeError },
  });
  return limitedLog(lines);
}

/** `{name, code, message, stack}` of an error: one line of message, and where it was thrown. */
export function describeError(error: unknown): object {
  if (!isNativeError(error)) return { name: typeof error };
  const code = 'code' in error ? error.code : undefined;
  // knex puts the statement before its message; the words after the last dash are Postgres' own.
  // Its data exceptions (SQLSTATE class 22) quote the value that was wrong.
  const quotesValue = typeof code === 'string' && /^22...$/.test(code);
  const message = quotesValue ? undefined : error.message.split(' - ').at(-1)?.split('\n')[0]?.slice(0, 200);
  const stack = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return { name: error.name, code, message, stack };
}
