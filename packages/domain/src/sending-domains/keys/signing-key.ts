import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '../../context.js';
import { openSecret } from '../../secrets/sealed-secret.js';
import { ensureActiveKey } from './ensure-active-key.js';

/** A rotated key signs on every process within this time. */
const CACHED_MS = 30_000;
const MAX_CACHED_KEYS = 1_000;

/** What a DKIM signature is made with: its tags `d=` and `s=`, and the key, ready to use. */
export type SigningKey = { readonly domain: string; readonly selector: string; readonly privateKey: KeyObject };

/** @param domainId of a sending domain; null: the platform domain */
export type FindSigningKey = (domainId: string | null) => Promise<SigningKey | null>;

/**
 * Looks signing keys up and remembers each for half a minute.
 * @returns a function whose answer is null when the domain was deleted; it throws when Postgres cannot
 *   be reached, or when the key was stored under another SECRET_KEY
 */
export function signingKeyFinder(ctx: Pick<Context, 'config' | 'db' | 'now'>): FindSigningKey {
  // A Map is in order of insertion, and all entries live equally long: the first is the oldest.
  const cached = new Map<string | null, { key: Promise<SigningKey | null>; until: number }>();

  return (domainId) => {
    const now = ctx.now().getTime();
    const known = cached.get(domainId);
    if (known && known.until > now) return known.key;
    const key = readKey(ctx, domainId);
    cached.delete(domainId);
    cached.set(domainId, { key, until: now + CACHED_MS });
    key.catch(() => cached.get(domainId)?.key === key && cached.delete(domainId));
    for (const oldest of cached.keys()) {
      if (cached.size <= MAX_CACHED_KEYS) break;
      cached.delete(oldest);
    }
    return key;
  };
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
