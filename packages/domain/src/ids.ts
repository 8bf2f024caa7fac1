import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): its order is the order of creation, so it serves as a list cursor. */
export function newId(): string {
  return v7();
}

/** The lowest id that can be made at a time: whatever is older has a lower one. */
export function firstIdAt(time: Date): string {
  return v7({ msecs: time.getTime(), random: new Uint8Array(16), seq: 0 });
}

/** Whether the text has the form of an id; anything else answers like an unknown id. */
export function isId(text: string): boolean {
  return validate(text);
}
