import type { Log } from './log.js';

const MAX_LINES_PER_WINDOW = 10;
const WINDOW_MS = 10_000;

/**
 * Lets through the first ten lines of an event, then counts: while a part is down the same thing goes
 * wrong for every email, and the log is to tell of it without filling a disk. The next line that comes
 * through says in `left_out` how many did not.
 */
export function limitedLog(log: Log, { maxLines = MAX_LINES_PER_WINDOW, windowMs = WINDOW_MS } = {}): Log {
  const windows = new Map<string, { endsAt: number; lines: number; leftOut: number }>();

  /** @returns how many lines were left out before this one, or null to leave it out as well */
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
