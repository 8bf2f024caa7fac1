import { randomBytes } from 'node:crypto';
import { scopes } from '@posthorn/contract';
import { createWorkspace } from '@posthorn/domain/accounts';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import type { PlanId } from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';

const PASSWORD = 'correct horse battery';
/** The hash of `PASSWORD` at the lowest cost (Argon2id, 8 KiB, one pass). */
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$FudA2pk7R3oIYDLhIRVH0g$t4M7AXOutgLtGmVk5LfPFviBx6R/5wxzYQGJY12b/Jw';

export type TestWorkspace = {
  readonly workspaceId: string;
  readonly slug: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly key: string;
  readonly keyId: string;
};

/** Creates a workspace with an owner and an API key, as the API does. */
export async function createTestWorkspace(
  ctx: Context,
  { planId = 'free', name = 'Test' }: { planId?: PlanId; name?: string } = {},
): Promise<TestWorkspace> {
  const email = `owner-${randomBytes(6).toString('hex')}@example.com`;
  const { workspaceId, userId, slug } = await createWorkspace(ctx, {
    name,
    email,
    passwordHash: PASSWORD_HASH,
    planId,
  });
  const { key, text } = await createKey(ctx, operator, workspaceId, {
    name: 'Test key',
    scopes: [...scopes],
    expiresAt: null,
  });
  return { workspaceId, slug, userId, email, password: PASSWORD, key: text, keyId: key.id };
}
