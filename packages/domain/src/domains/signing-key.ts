import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '@posthorn/platform';
import { openSecret } from '@posthorn/platform/secrets';
import { ensureActiveKey } from './dkim-keys.js';

/** After a key is rotated, every process uses the new key within this time. */
const CACHED_MS = 30_000;
const MAX_CACHED_KEYS = 1_000;

/** What a DKIM signature needs: the values of its tags `d=` and `s=`, and the private key. */
export type SigningKey = { readonly domain: string; readonly selector: string; readonly privateKey: KeyObject };

/**
 * The keys that a process has looked up, by the id of their domain; null for the platform domain. A Map keeps insertion
 * order, and all entries live equally long, so the first is the oldest.
 */
export type SigningKeyCache = Map<string | null, { key: Promise<SigningKey | null>; until: number }>;

export type SigningKeyContext = Pick<Context, 'config' | 'db' | 'now'> & { readonly signingKeys: SigningKeyCache };

/**
 * Looks up a signing key and caches it for half a minute.
 * @param domainId null for the platform domain
 * @returns null when the domain was deleted
 * @throws when Postgres is unreachable, or when the key was stored with another SECRET_KEY
 */
export function findSigningKey(ctx: SigningKeyContext, domainId: string | null): Promise<SigningKey | null> {
  const { signingKeys: cached } = ctx;
  const now = ctx.now().getTime();
  const entry = cached.get(domainId);
  if (entry && entry.until > now) return entry.key;
  const key = readKey(ctx, domainId);
  cached.delete(domainId);
  cached.set(domainId, { key, until: now + CACHED_MS });
  key.catch(() => cached.get(domainId)?.key === key && cached.delete(domainId));
  for (const oldest of cached.keys()) {
    if (cached.size <= MAX_CACHED_KEYS) break;
    cached.delete(oldest);
  }
  return key;
}

async function readKey(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domainId: string | null,
): Promise<SigningKey | null> {
  const stored = await ensureActiveKey(ctx, domainId);
  if (!stored) return null;
  const der = openSecret(ctx.config, stored.privateKey, stored.id);
  return {
    domain: stored.domainName ?? ctx.config.platformSenderDomain,
    selector: stored.selector,
    privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  };
}
