import { isNativeError } from 'node:util/types';
import type { LogLevel } from '@posthorn/platform/config';
import { isPoolExhausted } from '@posthorn/platform/postgres';
import { pino } from 'pino';

/** Logs events: each has a name and fields. */
export type Log = {
  debug(fields: object, event: string): void;
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
};

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
  return limitLog(lines);
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

const MAX_LINES_PER_WINDOW = 10;
const WINDOW_MS = 10_000;

/**
 * Writes the first ten lines for an event in each window and only counts the rest, so that an outage in which every
 * email fails does not fill the disk. The next line for that event says in `left_out` how many were left out.
 */
export function limitLog(log: Log, { maxLines = MAX_LINES_PER_WINDOW, windowMs = WINDOW_MS } = {}): Log {
  const windows = new Map<string, { endsAt: number; lines: number; leftOut: number }>();

  /** @returns how many lines were left out before this one; null if this one is left out too */
  function admit(event: string): number | null {
    const now = Date.now();
    let window = windows.get(event);
    if (!window || window.endsAt <= now) {
      const leftOut = window?.leftOut ?? 0;
      window = { endsAt: now + windowMs, lines: 0, leftOut: 0 };
      windows.set(event, window);
      window.lines = 1;
      return leftOut;
    }
    window.lines += 1;
    if (window.lines <= maxLines) return 0;
    window.leftOut += 1;
    return null;
  }

  const limited = (write: Log['warn']) => (fields: object, event: string) => {
    const leftOut = admit(event);
    if (leftOut !== null) write(leftOut > 0 ? { ...fields, left_out: leftOut } : fields, event);
  };
  return {
    debug: (fields, event) => log.debug(fields, event),
    info: (fields, event) => log.info(fields, event),
    warn: limited((fields, event) => log.warn(fields, event)),
    error: limited((fields, event) => log.error(fields, event)),
  };
}
