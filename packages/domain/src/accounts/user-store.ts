import { parseBareAddress, toAddressKey } from '@posthorn/domain/format';
import { toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/**
 * Parses an account's address, which must not have a display name.
 * @throws AddressError
 */
export function readAccountEmail(text: string): string {
  return parseBareAddress(text);
}

/**
 * The form in which an account's address is stored. An invalid address is returned unchanged, because it matches no
 * account.
 */
export function toLoginEmail(text: string): string {
  try {
    return readAccountEmail(text);
  } catch {
    return text;
  }
}

/** A user who can log in. The address is stored as typed and compared case-insensitively. */
export type User = { id: string; email: string; passwordHash: string; emailVerified: boolean };

type NewUser = Omit<User, 'emailVerified'> & {
  createdAt: Date;
  /** When the user proved that the address is theirs; null if that has not happened yet. */
  emailVerifiedAt: Date | null;
  /** A hash of the network that the sign-up came from; null for an account that was verified from the start. */
  signupSource: string | null;
};

/** @returns false, and writes nothing, if the address already has an account */
export async function insertUser(db: Knex, user: NewUser): Promise<boolean> {
  const written = await db('users').insert(toColumns(user)).onConflict().ignore().returning('id');
  return written.length > 0;
}

export async function findUserByEmail(db: Knex, email: string): Promise<User | null> {
  const row = await db('users')
    .select('id', 'email', 'password_hash', 'email_verified_at')
    // Lowercased here, as in the limiter, because Postgres' lower() gives a different result in some locales.
    .whereRaw('lower(email) = ?', [toAddressKey(email)])
    .first();
  if (!row) return null;
  const emailVerified = row.email_verified_at !== null;
  return { id: row.id, email: row.email, passwordHash: row.password_hash, emailVerified };
}

/** Blocks other transactions that would change the user or the user's mailed links. */
export async function lockUser(trx: Knex, id: string): Promise<void> {
  await trx('users').select('id').where({ id }).forNoKeyUpdate();
}

/**
 * Keeps a user's password from changing before the transaction ends.
 * @returns false if the user's password no longer has this hash
 */
export async function lockPassword(trx: Knex, id: string, passwordHash: string): Promise<boolean> {
  const found = await trx('users').select('id').where({ id, password_hash: passwordHash }).forShare();
  return found.length > 0;
}

/** @returns false, and writes nothing, if the user's password has changed since `user` was read */
export async function replacePassword(
  db: Knex,
  { user, passwordHash }: { user: User; passwordHash: string },
): Promise<boolean> {
  const changed = await db('users')
    .where({ id: user.id, password_hash: user.passwordHash })
    .update({ password_hash: passwordHash });
  return changed > 0;
}

/** @returns the user's address */
export async function updatePassword(db: Knex, id: string, passwordHash: string): Promise<string> {
  const [row] = await db('users').where({ id }).update({ password_hash: passwordHash }).returning('email');
  return row.email;
}

/** @returns false, and writes nothing, if the address was already verified */
export async function updateEmailVerified(db: Knex, id: string, now: Date): Promise<boolean> {
  const changed = await db('users')
    .where({ id, email_verified_at: null })
    .update({ email_verified_at: now, signup_source: null });
  return changed > 0;
}

/** Locks the oldest unverified users, except those that another transaction has locked. @returns their ids */
export async function lockUnverifiedUsers(trx: Knex, createdBefore: Date, limit: number): Promise<string[]> {
  const rows = await trx('users')
    .select('id')
    .where({ email_verified_at: null })
    .where('created_at', '<', createdBefore)
    .orderBy('created_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return rows.map(({ id }) => id);
}

/** @returns how many were deleted. Verified users are not */
export async function deleteUnverifiedUsers(db: Knex, ids: readonly string[]): Promise<number> {
  return db('users').whereIn('id', ids).where({ email_verified_at: null }).delete();
}
