import { randomBytes } from 'node:crypto';
import { createWorkspace } from '@posthorn/domain/accounts';
import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';

/** No other test has an account with such an address, or a workspace with such a name. */
const UNIQUE = randomBytes(6).toString('hex');

describe('createWorkspace', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  const fields = (user: string, name = 'Acme') => ({
    name,
    email: `${user}-${UNIQUE}@example.com`,
    passwordHash: 'a hash',
    planId: 'pro' as const,
  });

  test('creates a workspace on the given plan, along with its owner', async () => {
    const { workspaceId, userId, slug } = await createWorkspace(ctx, fields('ada', `First & Co ${UNIQUE}`));
    expect(slug).toBe(`first-co-${UNIQUE}`);
    expect(await findWorkspace(ctx.db, workspaceId, 60)).toMatchObject({
      name: `First & Co ${UNIQUE}`,
      slug,
      allowance: { plan: { id: 'pro' } },
    });
    expect(await ctx.db('memberships').select('role').where({ workspace_id: workspaceId, user_id: userId })).toEqual([
      { role: 'owner' },
    ]);
  });

  test('refuses an address that already has an account, regardless of case, and stores nothing', async () => {
    await createWorkspace(ctx, fields('grace'));
    const before = await ctx.db('workspaces').select('id');
    await expect(createWorkspace(ctx, fields('GRACE'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await ctx.db('workspaces').select('id')).toHaveLength(before.length);
  });

  test('gives workspaces with the same name different slugs, even if they are created at the same time', async () => {
    const users = Array.from({ length: 10 }, (_, index) => `same${index}`);
    const created = await Promise.all(users.map((user) => createWorkspace(ctx, fields(user, 'Same name'))));
    const slugs = created.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(10);
    for (const slug of slugs) expect(slug).toMatch(/^same-name(-[a-z0-9]{6})?$/);
  });

  test('lets only one of two concurrent requests for the same address succeed', async () => {
    const results = await Promise.allSettled([
      createWorkspace(ctx, fields('same')),
      createWorkspace(ctx, fields('Same')),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('never gives a workspace the slug reserved for the service', async () => {
    const { slug } = await createWorkspace(ctx, fields('eve', 'no-reply'));
    expect(slug).toMatch(/^workspace-[a-z0-9]{6}$/);
  });
});
