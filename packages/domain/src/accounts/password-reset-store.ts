import type { Knex } from 'knex';

export type PasswordReset = { tokenHash: Buffer; userId: string; expiresAt: Date };

/** @returns false, and writes nothing, when the user already has `limit` links that still work */
export async function insertReset(
  db: Knex,
  reset: PasswordReset,
  { now, limit }: { now: Date; limit: number },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    // Locks the user, because concurrent requests would otherwise all count the same links.
    await trx('users').select('id').where({ id: reset.userId }).forNoKeyUpdate();
    await trx('password_resets').where({ user_id: reset.userId }).where('expires_at', '<=', now).delete();
    const links = await trx('password_resets').select('user_id').where({ user_id: reset.userId });
    if (links.length >= limit) return false;
    await trx('password_resets').insert({
      token_hash: reset.tokenHash,
      user_id: reset.userId,
      expires_at: reset.expiresAt,
    });
    return true;
  });
}

export async function isLiveReset(db: Knex, tokenHash: Buffer, now: Date): Promise<boolean> {
  const row = await db('password_resets')
    .select('user_id')
    .where({ token_hash: tokenHash })
    .where('expires_at', '>', now)
    .first();
  return row !== undefined;
}

/** Uses up a link, so that only one of several concurrent requests gets the user id. */
export async function consumeReset(db: Knex, tokenHash: Buffer, now: Date): Promise<string | null> {
  const [row] = await db('password_resets')
    .where({ token_hash: tokenHash })
    .where('expires_at', '>', now)
    .delete()
    .returning('user_id');
  return row?.user_id ?? null;
}

export async function deleteResetsOf(db: Knex, userId: string): Promise<void> {
  await db('password_resets').where({ user_id: userId }).delete();
}
