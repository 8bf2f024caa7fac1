import type { Context } from '../../context.js';
import { generateDomainKey } from './domain-key.js';
import { findActiveKey, insertKey, type StoredSigningKey } from './domain-key-store.js';

/**
 * The key that signs for a domain, made when it is needed for the first time; of processes that make
 * one at the same time the first wins, and all go on with its key.
 * @param domainId null: the platform domain
 * @returns null when the domain is deleted
 */
export async function ensureActiveKey(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  domainId: string | null,
): Promise<StoredSigningKey | null> {
  const known = await findActiveKey(ctx.db, domainId);
  if (known) return known;
  await insertKey(ctx.db, await generateDomainKey(ctx, domainId, 'active'));
  return findActiveKey(ctx.db, domainId);
}
