import { type Actor, operator, recordChange, toUserActor } from '@posthorn/domain/audit-log';
import { conflict, type Refusal } from '@posthorn/domain/errors';
import type { PlanId } from '@posthorn/domain/plans';
import { insertWorkspace, type NewWorkspace, toSlug, toWorkspaceTarget, withSuffix } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { insertMembership } from './member-store.js';
import { insertUser } from './user-store.js';

/** A suffix has 2 billion possible values, so more failures than this mean that something else is wrong. */
const MAX_SLUG_TRIES = 5;

type CreateWorkspace = {
  readonly name: string;
  /** The address of the first owner, as returned by `readAccountEmail`. */
  readonly email: string;
  /** From `hashPassword`. */
  readonly passwordHash: string;
  readonly planId: PlanId;
  /** If it is missing, the operator is creating the account, which then counts as verified. */
  readonly signup?: {
    /** The network that the sign-up comes from. */
    readonly peer: string;
    /** The client's IP address, for the audit log. */
    readonly ip: string | null;
  };
};

type CreatedWorkspace = {
  readonly workspaceId: string;
  readonly userId: string;
  readonly slug: string;
};

/**
 * Creates a workspace and its owner's account in one transaction.
 * @throws Refusal conflict if the address already has an account
 */
export async function createWorkspace(
  ctx: Pick<Context, 'db' | 'now'>,
  { name, email, passwordHash, planId, signup }: CreateWorkspace,
): Promise<CreatedWorkspace> {
  const [userId, workspaceId, createdAt] = [newId(), newId(), ctx.now()];
  const user = { id: userId, email, passwordHash, createdAt };
  const proof =
    signup === undefined
      ? { emailVerifiedAt: createdAt, signupSource: null }
      : { emailVerifiedAt: null, signupSource: sha256Hex(signup.peer) };
  return ctx.db.transaction(async (trx) => {
    if (!(await insertUser(trx, { ...user, ...proof }))) throw refuseTakenAddress();
    const unverifiedOwnerId = signup === undefined ? null : userId;
    const actor = signup === undefined ? operator : toUserActor(user, signup.ip);
    const workspace = { id: workspaceId, name, planId, createdAt, unverifiedOwnerId };
    const slug = await addWorkspace(trx, actor, { owner: user, workspace });
    return { workspaceId, userId, slug };
  });
}

type AddedWorkspace = {
  readonly owner: { readonly id: string; readonly email: string };
  readonly workspace: Omit<NewWorkspace, 'slug'>;
};

/** Adds a workspace of an existing user. @returns its slug */
export async function addWorkspace(
  trx: Knex.Transaction,
  actor: Actor,
  { owner, workspace }: AddedWorkspace,
): Promise<string> {
  const { id: workspaceId, name, planId, createdAt } = workspace;
  const slug = await insertWithFreeSlug(trx, workspace);
  await insertMembership(trx, { workspaceId, userId: owner.id, role: 'owner', createdAt });
  await recordChange(trx, actor, {
    workspaceId,
    action: 'workspace.created',
    target: toWorkspaceTarget({ id: workspaceId, name }),
    before: null,
    after: { name, slug, plan: planId, owner: owner.email },
  });
  return slug;
}

/** What a workspace is called if its owner has not named it. */
export function toWorkspaceName(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}

export function refuseTakenAddress(): Refusal {
  return conflict('This email address already has an account. Log in, or reset its password.');
}

async function insertWithFreeSlug(trx: Knex, workspace: Omit<NewWorkspace, 'slug'>): Promise<string> {
  const base = toSlug(workspace.name);
  let slug = base;
  for (let suffixes = 0; !(await insertWorkspace(trx, { ...workspace, slug })); suffixes += 1) {
    if (suffixes === MAX_SLUG_TRIES) throw new Error('No free slug was found');
    slug = withSuffix(base);
  }
  return slug;
}
