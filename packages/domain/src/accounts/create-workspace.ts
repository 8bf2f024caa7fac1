import type { Knex } from 'knex';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { newId } from '../ids.js';
import type { PlanId } from '../workspaces/plans.js';
import { slugOf, withSuffix } from '../workspaces/slug.js';
import { insertWorkspace, type NewWorkspace } from '../workspaces/workspace-store.js';
import { insertMembership } from './membership-store.js';
import { hashPassword } from './passwords.js';
import { insertUser } from './user-store.js';

/** Random endings tried before something must be wrong: each has 2 thousand million values. */
const MAX_SLUG_TRIES = 5;

export type CreateWorkspace = {
  readonly name: string;
  /** Of its first owner, as `readAccountEmail` gives it. */
  readonly email: string;
  readonly password: string;
  readonly planId: PlanId;
};

export type CreatedWorkspace = { readonly workspaceId: string; readonly userId: string; readonly slug: string };

/**
 * A workspace with its owner's account, both or neither.
 * @throws Refusal conflict when the address has an account
 */
export async function createWorkspace(
  ctx: Pick<Context, 'db' | 'now'>,
  { name, email, password, planId }: CreateWorkspace,
): Promise<CreatedWorkspace> {
  const passwordHash = await hashPassword(password);
  const [userId, workspaceId, createdAt] = [newId(), newId(), ctx.now()];
  return ctx.db.transaction(async (trx) => {
    if (!(await insertUser(trx, { id: userId, email, passwordHash, createdAt }))) {
      throw new Refusal('conflict', {
        reason: 'This email address has an account already; log in, or reset its password.',
      });
    }
    const slug = await insertWithFreeSlug(trx, { id: workspaceId, name, planId, createdAt });
    await insertMembership(trx, { workspaceId, userId, role: 'owner', createdAt });
    return { workspaceId, userId, slug };
  });
}

async function insertWithFreeSlug(trx: Knex, workspace: Omit<NewWorkspace, 'slug'>): Promise<string> {
  const wanted = slugOf(workspace.name);
  let slug = wanted;
  for (let suffixes = 0; !(await insertWorkspace(trx, { ...workspace, slug })); suffixes += 1) {
    if (suffixes === MAX_SLUG_TRIES) throw new Error('No free slug was found');
    slug = withSuffix(wanted);
  }
  return slug;
}
