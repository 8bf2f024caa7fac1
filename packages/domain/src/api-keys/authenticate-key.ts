import type { Caller } from '@posthorn/domain/accounts';
import { toTestWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { createNetworkMatcher } from '@posthorn/platform/network';
import { findKeyWithWorkspace, type KeyWithWorkspace, updateLastUsed } from './key-store.js';
import { isSameHash, parseKeyText } from './key-text.js';

/** Within this time, every process notices that a key was revoked or that the operator changed a limit. */
const CACHED_MS = 500;
const MAX_CACHED_KEYS = 10_000;
/** The minimum time between two updates of a key's last_used_at, to save writes. */
const MIN_UPDATE_INTERVAL_MS = 60_000;

/** What a process remembers about keys. */
export type KeyCache = {
  /** By id, including "no such key". */
  readonly found: Map<string, FoundKey>;
  /** The callers of the last half second, by the text of their key. The texts are secrets, so they are kept no longer. */
  readonly callers: Map<string, { readonly caller: KeyCaller; readonly key: CachedKey }>;
};

type FoundKey = { readonly key: Promise<CachedKey | null>; readonly until: number };

export function createKeyCache(): KeyCache {
  return { found: new Map(), callers: new Map() };
}

type KeyContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & {
  readonly credentials: { readonly keys: KeyCache };
};

/**
 * Finds the caller for the text of a key. Looks up keys in Postgres and caches each result for half a second.
 * @returns null if the key may not be used, whatever the reason
 */
export async function authenticateKey(ctx: KeyContext, text: string): Promise<Caller | null> {
  const parts = parseKeyText(text);
  if (parts === null) return null;
  const found = lookUp(ctx, parts.id);
  const key = await found.key;
  if (!key || key.mode !== parts.mode || !isSameHash(key.secretHash, parts.secretHash) || !isLive(key, ctx.now()))
    return null;
  const workspace = key.mode === 'test' ? toTestWorkspace(key.workspace) : key.workspace;
  if (!workspace) return null;
  const { id, name, scopes, domainIds, isAllowedFrom } = key;
  const caller: KeyCaller = { kind: 'key', id, name, workspace, scopes, domainIds, isAllowedFrom };
  const { callers } = ctx.credentials.keys;
  callers.set(text, { caller, key });
  setTimeout(() => callers.delete(text), found.until - Date.now()).unref();
  return caller;
}

/** The caller for the text of a key that was authenticated a moment ago, without a wait. @returns null if it was not */
export function recallCaller(ctx: Pick<KeyContext, 'credentials' | 'now'>, text: string): Caller | null {
  const recent = ctx.credentials.keys.callers.get(text);
  return recent && isLive(recent.key, ctx.now()) ? recent.caller : null;
}

function lookUp(ctx: KeyContext, id: string): FoundKey {
  const { found: cached } = ctx.credentials.keys;
  const now = Date.now();
  const entry = cached.get(id);
  if (entry && entry.until > now) return entry;
  if (cached.size >= MAX_CACHED_KEYS) cached.clear();
  const key = findKeyWithWorkspace(ctx.db, id, ctx.config.rateLimitPerMinute).then(withMatcher);
  const found = { key, until: now + CACHED_MS };
  cached.set(id, found);
  key.then(
    (used) => used && recordUse(ctx, used),
    () => cached.delete(id),
  );
  return found;
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
