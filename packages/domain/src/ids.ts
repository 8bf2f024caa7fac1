import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): its order is the order of creation, so it serves as a list cursor. */
export function newId(): string {
  return v7();
}

/** Whether the text has the form of an id; anything else answers like an unknown id. */
export function isId(text: string): boolean {
  return validate(text);
}

/** 48 bits of milliseconds stand in front (RFC 9562, 5.7). */
const LAST_MS = 2 ** 48 - 1;

/** Below every id that is made at this moment or later, above all that are older. @param ms since the epoch */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), LAST_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
