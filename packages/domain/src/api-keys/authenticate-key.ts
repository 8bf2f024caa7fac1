import { hash } from 'node:crypto';
import type { Caller } from '@posthorn/domain/accounts';
import { toTestWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { networkMatcher } from '@posthorn/platform/network';
import { findKeyWithWorkspace, type KeyWithWorkspace, updateLastUsed } from './key-store.js';
import { type KeyParts, readKeyText, sameHash } from './key-text.js';

/** Within this time, every process notices that a key was revoked or that the operator changed a limit. */
const CACHED_MS = 500;
const MAX_CACHED_KEYS = 10_000;
/** The minimum time between two updates of a key's last_used_at, to save writes. */
const MIN_UPDATE_INTERVAL_MS = 60_000;

export type AuthenticateKey = (text: string) => Promise<Caller | null>;

/**
 * Looks up keys in Postgres and caches each result for half a second, including "no such key".
 * @returns a function that finds the caller for the text of a key, or returns null if the key may not be used, whatever
 *   the reason
 */
export function keyAuthenticator(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): AuthenticateKey {
  const cached = new Map<string, { key: Promise<CachedKey | null>; until: number }>();
  // The parts of valid keys, cached by the hash of the key's text, because parsing a key takes longer than hashing it.
  const validParts = new Map<string, KeyParts>();

  function lookUp(id: string): Promise<CachedKey | null> {
    const now = Date.now();
    const entry = cached.get(id);
    if (entry && entry.until > now) return entry.key;
    if (cached.size >= MAX_CACHED_KEYS) cached.clear();
    const key = findKeyWithWorkspace(ctx.db, id, ctx.config.rateLimitPerMinute).then(withMatcher);
    cached.set(id, { key, until: now + CACHED_MS });
    key.then(
      (found) => found && recordUse(found),
      () => cached.delete(id),
    );
    return key;
  }

  function recordUse({ id, lastUsedAt }: KeyWithWorkspace): void {
    const now = ctx.now();
    if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < MIN_UPDATE_INTERVAL_MS) return;
    updateLastUsed(ctx.db, id, now).catch((error) => ctx.log.warn({ error, keyId: id }, 'last_used_update_failed'));
  }

  return async (text) => {
    const digest = hash('sha256', text, 'base64');
    const parts = validParts.get(digest) ?? readKeyText(text);
    const key = parts && (await lookUp(parts.id));
    if (!key || key.mode !== parts.mode || !sameHash(key.secretHash, parts.secretHash) || !isLive(key, ctx.now()))
      return null;
    if (validParts.size >= MAX_CACHED_KEYS) validParts.clear();
    validParts.set(digest, parts);
    const workspace = key.mode === 'test' ? toTestWorkspace(key.workspace) : key.workspace;
    if (!workspace) return null;
    const { id, name, scopes, domainIds, isAllowedFrom } = key;
    return { kind: 'key', id, name, workspace, scopes, domainIds, isAllowedFrom };
  };
}

/** A matcher is built once per lookup, because that takes longer than the rest of the authentication. */
type CachedKey = KeyWithWorkspace & Pick<KeyCaller, 'isAllowedFrom'>;

type KeyCaller = Extract<Caller, { kind: 'key' }>;

function withMatcher(key: KeyWithWorkspace | null): CachedKey | null {
  return key && { ...key, isAllowedFrom: key.networks && networkMatcher(key.networks) };
}

function isLive(key: KeyWithWorkspace, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
