import { isDate } from 'node:util/types';
import { Refusal } from '../errors.js';
import { limits } from '../limits.js';
import { sha256Hex } from '../secrets/sha256-hex.js';
import type { Claim } from '../usage/claim.js';

const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * @param headers every Idempotency-Key as it came; undefined is no claim, two are none that we know
 * @param operation names the route: the same key on another route is another request
 * @param body the validated request body
 * @throws Refusal invalid_idempotency_key
 */
export function claimOf(headers: readonly string[] | undefined, operation: string, body: unknown): Claim | null {
  if (headers === undefined) return null;
  const [header = ''] = headers;
  if (headers.length > 1 || header.length > limits.idempotencyKey.max || !PRINTABLE_ASCII.test(header)) {
    throw new Refusal('invalid_idempotency_key');
  }
  return { keyHash: sha256Hex(header), fingerprint: sha256Hex(`${operation}\n${canonicalJson(body)}`) };
}

/** JSON whose text does not depend on the order in which the client wrote the keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** A replacer would do the same, but keeps JSON.stringify from its fast way. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isDate(value)) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = value as Record<string, unknown>;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) ordered[name] = inOrder(members[name]);
  return ordered;
}
