import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';

/** The Idempotency-Key of a request. Both fields are SHA-256 hashes in hex. */
export type IdempotencyKey = {
  readonly keyHash: string;
  /** Hash of the operation and the validated body. It distinguishes a retry from a different request. */
  readonly fingerprint: string;
};

/** In characters. */
const MAX_TEXT_CHARACTERS_IN_JSON = 64_000;

const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * @param headers every Idempotency-Key header of the request; undefined when there is none
 * @param operation names the route, because the same key on another route means a different request
 * @param body the validated request body
 * @throws Refusal invalid_idempotency_key, also if the header occurs more than once
 */
export function parseIdempotencyKey(
  headers: readonly string[] | undefined,
  operation: string,
  body: unknown,
): IdempotencyKey | null {
  if (headers === undefined) return null;
  const [header = ''] = headers;
  if (headers.length > 1 || header.length > limits.idempotencyKey.max || !PRINTABLE_ASCII.test(header)) {
    throw new Refusal('invalid_idempotency_key');
  }
  return { keyHash: hashKey(header), fingerprint: sha256Hex(`${operation}\n${canonicalJson(body)}`) };
}

/** @param key as in the Idempotency-Key header */
export function hashKey(key: string): string {
  return sha256Hex(key);
}

/**
 * JSON that does not depend on the order of the fields. Long strings are replaced by their hashes,
 * which are faster to compute than JSON. Each is wrapped in an array, so no string can equal it.
 */
function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A JSON body may have a member of this name, but never a function. */
function hasToJson(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** A replacer function would do the same, but it would make JSON.stringify take its slow path. */
function sorted(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS_IN_JSON) return [sha256Hex(value)];
  // Dates and attachment contents have a toJSON of their own.
  if (typeof value !== 'object' || value === null || hasToJson(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = value as Record<string, unknown>;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) ordered[name] = sorted(members[name]);
  return ordered;
}

/** The key in Redis that locks an idempotency key, or says that Postgres has a response for it. */
export function buildIdempotencyRedisKey(
  { incarnation }: Pick<Context, 'incarnation'>,
  workspaceId: string,
  keyHash: string,
): string {
  return incarnation.key(`{${workspaceId}}:idem:${keyHash}`);
}
