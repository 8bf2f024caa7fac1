import type { Knex } from 'knex';
import { lockUser } from './user-store.js';

/** What a user can do with a mailed link. Each link works only once. */
export type LinkPurpose = 'reset_password' | 'verify_email';

/** What identifies a link. */
type LinkKey = { readonly tokenHash: Buffer; readonly purpose: LinkPurpose };

type NewLink = LinkKey & { readonly userId: string; readonly expiresAt: Date };

/**
 * @param limit how many working links for this purpose a user may have at a time
 * @returns false, and writes nothing, if the user already has that many
 */
export async function insertLink(
  db: Knex,
  { tokenHash, userId, purpose, expiresAt }: NewLink,
  { now, limit = Number.POSITIVE_INFINITY }: { now: Date; limit?: number },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    // Without this lock, concurrent requests would all count the same links.
    await lockUser(trx, userId);
    await trx('mailed_links').where({ user_id: userId, purpose }).where('expires_at', '<=', now).delete();
    const links = await trx('mailed_links').select('user_id').where({ user_id: userId, purpose });
    if (links.length >= limit) return false;
    await trx('mailed_links').insert({ token_hash: tokenHash, user_id: userId, purpose, expires_at: expiresAt });
    return true;
  });
}

/** @returns the id of the user, or null if the link is unknown, used or expired */
export async function findLinkUser(db: Knex, { tokenHash, purpose }: LinkKey, now: Date): Promise<string | null> {
  const row = await db('mailed_links')
    .select('user_id')
    .where({ token_hash: tokenHash, purpose })
    .where('expires_at', '>', now)
    .first();
  return row?.user_id ?? null;
}

/**
 * Uses up a link, so that only one of several concurrent requests gets the user's id. It locks the user first, so that
 * requests with different links of the same user cannot deadlock.
 */
export async function consumeLink(trx: Knex, link: LinkKey, now: Date): Promise<string | null> {
  const userId = await findLinkUser(trx, link, now);
  if (userId === null) return null;
  await lockUser(trx, userId);
  const used = await trx('mailed_links').where({ token_hash: link.tokenHash }).delete();
  return used > 0 ? userId : null;
}

export async function deleteLinksForUser(db: Knex, userId: string, purpose: LinkPurpose): Promise<void> {
  await db('mailed_links').where({ user_id: userId, purpose }).delete();
}
