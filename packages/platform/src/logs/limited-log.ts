import type { Log } from './log.js';

const MAX_LINES_PER_WINDOW = 10;
const WINDOW_MS = 10_000;

/**
 * Writes the first ten lines for an event in each window and only counts the rest, so that an outage in which every
 * email fails does not fill the disk. The next line for that event says in `left_out` how many were left out.
 */
export function limitedLog(log: Log, { maxLines = MAX_LINES_PER_WINDOW, windowMs = WINDOW_MS } = {}): Log {
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
