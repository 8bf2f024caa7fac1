import { clearUnverifiedOwner } from '@posthorn/domain/workspaces';
import type { Knex } from 'knex';
import { deleteLinksForUser } from './mailed-link-store.js';
import { updateEmailVerified } from './user-store.js';

/**
 * Records that the account belongs to the owner of its address. From then on, its workspace may send to any address.
 * Other processes notice this within half a second. Links that verify or reject the account stop working.
 * @returns the id of that workspace; null if the account was already verified
 */
export async function verifyAccount(trx: Knex, userId: string, now: Date): Promise<string | null> {
  if (!(await updateEmailVerified(trx, userId, now))) return null;
  await deleteLinksForUser(trx, userId, 'verify_email');
  return clearUnverifiedOwner(trx, userId);
}
