import { randomFillSync } from 'node:crypto';
import { stringify, v7, validate } from 'uuid';

export const ID_BYTES = 16;

/** Random bytes for the next ids. Asking for those of each id separately would take most of the time. */
const pool = Buffer.alloc(ID_BYTES * 256);
let taken = pool.length;

let lastMs = 0;
let sequence = 0;

/**
 * A new UUIDv7 (RFC 9562). Ids sort by creation time, so they serve as list cursors. Those that a process creates in the
 * same millisecond sort too: they count up from a random number (RFC 9562, 6.2, method 1).
 */
export function newId(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const random = pool.subarray(taken, taken + ID_BYTES);
  taken += ID_BYTES;
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Half of the numbers are left for counting up.
    sequence = random.readUInt32BE(6) >>> 1;
  } else sequence += 1;
  return v7({ random, msecs: lastMs, seq: sequence });
}

/** Whether the text has the form of an id. Callers treat any other text as an unknown id. */
export function isId(text: string): boolean {
  return validate(text);
}

/** A UUIDv7 begins with a 48-bit time in milliseconds (RFC 9562, 5.7). */
const MAX_MS = 2 ** 48 - 1;

/**
 * An id that is lower than every id created at this time or later, and higher than all older ones.
 * @param ms milliseconds since the epoch
 */
export function toFirstId(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

export function toIdBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function parseIdBytes(bytes: Buffer): string {
  return stringify(bytes);
}

/** When the id was created, in milliseconds since the epoch. */
export function getIdTime(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}
