import type { Context } from '@posthorn/platform';
import { generateDomainKey } from './domain-key.js';
import { findActiveKey, insertKey, type StoredSigningKey } from './domain-key-store.js';

/**
 * Returns the key that signs for a domain, and creates it when it is first needed. If several processes create one at
 * the same time, the first one wins, and all of them use its key.
 * @param domainId null for the platform domain
 * @returns null when the domain is deleted
 */
export async function ensureActiveKey(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domainId: string | null,
): Promise<StoredSigningKey | null> {
  const existing = await findActiveKey(ctx.db, domainId);
  if (existing) return existing;
  await insertKey(ctx.db, await generateDomainKey(ctx, domainId, 'active'));
  return findActiveKey(ctx.db, domainId);
}
