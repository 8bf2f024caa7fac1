import { isNativeError } from 'node:util/types';
import type { LogLevel } from '@posthorn/platform/config';
import { isPoolExhausted } from '@posthorn/platform/postgres';
import { pino } from 'pino';
import { limitedLog } from './limited-log.js';
import type { Log } from './log.js';

/**
 * JSON lines on standard output. Errors are reduced to the parts that contain no client data, because Postgres puts
 * column values into `detail` and Redis clients attach the arguments of the command.
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

/** `{name, code, message, stack}` of an error, with the first line of the message and up to six lines of the stack. */
export function describeError(error: unknown): object {
  if (!isNativeError(error)) return { name: typeof error };
  // knex's message suggests a mistake in the code, but the usual cause is a slow or unavailable Postgres.
  if (isPoolExhausted(error)) return { name: error.name, message: 'No connection to Postgres became free in time' };
  const code = 'code' in error ? error.code : undefined;
  // knex puts the statement before the message; the text after the last dash comes from Postgres.
  // Postgres' data exceptions (SQLSTATE class 22) quote the invalid value.
  const quotesValue = typeof code === 'string' && /^22...$/.test(code);
  const message = quotesValue ? undefined : error.message.split(' - ').at(-1)?.split('\n')[0]?.slice(0, 200);
  const stack = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return { name: error.name, code, message, stack };
}
