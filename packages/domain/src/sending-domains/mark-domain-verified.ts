import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { type SendingDomain, setDomainVerified } from './store.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Gives the name to the domain's workspace, and to no other: a unique index decides races.
 * @returns null when there is no such domain
 * @throws Refusal conflict when another workspace has the name verified
 */
export async function markDomainVerified(ctx: Pick<Context, 'db' | 'now'>, id: string): Promise<SendingDomain | null> {
  try {
    return await setDomainVerified(ctx.db, id, ctx.now());
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw new Refusal('conflict', {
      reason: 'The domain is verified by another workspace, and only one may send from it; remove it there first.',
    });
  }
}
