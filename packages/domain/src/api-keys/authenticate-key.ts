import { hash } from 'node:crypto';
import type { Caller } from '@posthorn/domain/accounts';
import { toTestWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { createNetworkMatcher } from '@posthorn/platform/network';
import { findKeyWithWorkspace, type KeyWithWorkspace, updateLastUsed } from './key-store.js';
import { isSameHash, type KeyParts, parseKeyText } from './key-text.js';

/** Within this time, every process notices that a key was revoked or that the operator changed a limit. */
const CACHED_MS = 500;
const MAX_CACHED_KEYS = 10_000;
/** The minimum time between two updates of a key's last_used_at, to save writes. */
const MIN_UPDATE_INTERVAL_MS = 60_000;

/** What a process remembers about keys. */
export type KeyCache = {
  /** By id, including "no such key". */
  readonly found: Map<string, { key: Promise<CachedKey | null>; until: number }>;
  /** The parts of valid keys, by the hash of the key's text, because parsing a key takes longer than hashing it. */
  readonly validParts: Map<string, KeyParts>;
};

export function createKeyCache(): KeyCache {
  return { found: new Map(), validParts: new Map() };
}

type KeyContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & {
  readonly credentials: { readonly keys: KeyCache };
};

/**
 * Finds the caller for the text of a key. Looks up keys in Postgres and caches each result for half a second.
 * @returns null if the key may not be used, whatever the reason
 */
export async function authenticateKey(ctx: KeyContext, text: string): Promise<Caller | null> {
  const { validParts } = ctx.credentials.keys;
  const digest = hash('sha256', text, 'base64');
  const parts = validParts.get(digest) ?? parseKeyText(text);
  const key = parts && (await lookUp(ctx, parts.id));
  if (!key || key.mode !== parts.mode || !isSameHash(key.secretHash, parts.secretHash) || !isLive(key, ctx.now()))
    return null;
  if (validParts.size >= MAX_CACHED_KEYS) validParts.clear();
  validParts.set(digest, parts);
  const workspace = key.mode === 'test' ? toTestWorkspace(key.workspace) : key.workspace;
  if (!workspace) return null;
  const { id, name, scopes, domainIds, isAllowedFrom } = key;
  return { kind: 'key', id, name, workspace, scopes, domainIds, isAllowedFrom };
}

function lookUp(ctx: KeyContext, id: string): Promise<CachedKey | null> {
  const { found: cached } = ctx.credentials.keys;
  const now = Date.now();
  const entry = cached.get(id);
  if (entry && entry.until > now) return entry.key;
  if (cached.size >= MAX_CACHED_KEYS) cached.clear();
  const key = findKeyWithWorkspace(ctx.db, id, ctx.config.rateLimitPerMinute).then(withMatcher);
  cached.set(id, { key, until: now + CACHED_MS });
  key.then(
    (found) => found && recordUse(ctx, found),
    () => cached.delete(id),
  );
  return key;
}

function recordUse(ctx: KeyContext, { id, lastUsedAt }: KeyWithWorkspace): void {
  const now = ctx.now();
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < MIN_UPDATE_INTERVAL_MS) return;
  updateLastUsed(ctx.db, id, now).catch((error) => ctx.log.warn({ error, keyId: id }, 'last_used_update_failed'));
}

/** A matcher is built once per lookup, because that takes longer than the rest of the authentication. */
type CachedKey = KeyWithWorkspace & Pick<KeyCaller, 'isAllowedFrom'>;

type KeyCaller = Extract<Caller, { kind: 'key' }>;

function withMatcher(key: KeyWithWorkspace | null): CachedKey | null {
  return key && { ...key, isAllowedFrom: key.networks && createNetworkMatcher(key.networks) };
}

function isLive(key: KeyWithWorkspace, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
