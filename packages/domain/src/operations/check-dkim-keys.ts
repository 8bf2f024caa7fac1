import { listStoredKeys } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { openSecret } from '@posthorn/platform/secrets';

/** The newest keys say enough, because all keys of one time were stored with the same SECRET_KEY. */
const MAX_KEYS = 1_000;

/** @returns how many stored DKIM keys were tried, and how many cannot be decrypted @throws Error without SECRET_KEY */
export async function checkDkimKeys({
  config,
  db,
}: Pick<Context, 'config' | 'db'>): Promise<{ tried: number; unreadable: number }> {
  const keys = await listStoredKeys(db, MAX_KEYS);
  const unreadable = keys.filter(({ id, privateKey }) => {
    try {
      openSecret(config, privateKey, id);
      return false;
    } catch {
      return true;
    }
  });
  return { tried: keys.length, unreadable: unreadable.length };
}
