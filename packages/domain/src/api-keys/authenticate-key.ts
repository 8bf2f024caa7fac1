import { hash } from 'node:crypto';
import type { Caller } from '../accounts/caller.js';
import type { Context } from '../context.js';
import { findKeyWithWorkspace, type KeyWithWorkspace, updateLastUsed } from './key-store.js';
import { type KeyParts, readKeyText, sameHash } from './key-text.js';

/** A revoked key, or an operator's new limit, holds within this time on every process. */
const CACHED_MS = 500;
const MAX_CACHED_KEYS = 10_000;
const TOUCH_EVERY_MS = 60_000;

export type AuthenticateKey = (text: string) => Promise<Caller | null>;

/**
 * Looks keys up in Postgres and remembers each answer for half a second, also "no such key".
 * @returns a function from the key's text to its caller; null for every key that may not be used,
 *   whatever the reason
 */
export function keyAuthenticator(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): AuthenticateKey {
  const cached = new Map<string, { owner: Promise<KeyWithWorkspace | null>; until: number }>();
  // Of keys that were right, by the hash of their text: big numbers and a checksum take longer than one hash.
  const taken = new Map<string, KeyParts>();

  function lookUp(id: string): Promise<KeyWithWorkspace | null> {
    const now = Date.now();
    const known = cached.get(id);
    if (known && known.until > now) return known.owner;
    if (cached.size >= MAX_CACHED_KEYS) cached.clear();
    const owner = findKeyWithWorkspace(ctx.db, id, ctx.config.rateLimitPerMinute);
    cached.set(id, { owner, until: now + CACHED_MS });
    owner.then(
      (found) => found && touch(found),
      () => cached.delete(id),
    );
    return owner;
  }

  function touch(key: KeyWithWorkspace): void {
    const now = ctx.now();
    if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < TOUCH_EVERY_MS) return;
    updateLastUsed(ctx.db, key.id, now).catch((error) => ctx.log.warn({ error, keyId: key.id }, 'key_touch_failed'));
  }

  return async (text) => {
    const digest = hash('sha256', text, 'base64');
    const parts = taken.get(digest) ?? readKeyText(text);
    const owner = parts && (await lookUp(parts.id));
    if (!owner || !sameHash(owner.secretHash, parts.secretHash) || !isLive(owner, ctx.now())) return null;
    if (taken.size >= MAX_CACHED_KEYS) taken.clear();
    taken.set(digest, parts);
    return { kind: 'key', id: owner.id, workspace: owner.workspace, scopes: owner.scopes };
  };
}

function isLive(key: KeyWithWorkspace, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
