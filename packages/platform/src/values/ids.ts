import { stringify, v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562). Ids sort by creation time, so they serve as list cursors. */
export function newId(): string {
  return v7();
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

export const ID_BYTES = 16;

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
