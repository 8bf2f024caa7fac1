import { type Context, createWorkspace, findWorkspace } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';

describe('createWorkspace', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  const order = (email: string, name = 'Acme') => ({ name, email, password: 'correct horse', planId: 'pro' as const });

  test('makes a workspace on the plan, and its owner', async () => {
    const { workspaceId, userId, slug } = await createWorkspace(ctx, order('ada@example.com', 'First & Co'));
    expect(slug).toBe('first-co');
    expect(await findWorkspace(ctx.db, workspaceId, 60)).toMatchObject({
      name: 'First & Co',
      slug,
      allowance: { plan: { id: 'pro' } },
    });
    expect(await ctx.db('memberships').select('role').where({ workspace_id: workspaceId, user_id: userId })).toEqual([
      { role: 'owner' },
    ]);
  });

  test('refuses an address that has an account, whatever its case, and leaves nothing behind', async () => {
    await createWorkspace(ctx, order('grace@example.com'));
    const before = await ctx.db('workspaces').select('id');
    await expect(createWorkspace(ctx, order('GRACE@example.com'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await ctx.db('workspaces').select('id')).toHaveLength(before.length);
  });

  test('gives workspaces of one name slugs of their own, also when they come at once', async () => {
    const emails = Array.from({ length: 10 }, (_, index) => `same${index}@example.com`);
    const created = await Promise.all(emails.map((email) => createWorkspace(ctx, order(email, 'Same name'))));
    const slugs = created.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(10);
    for (const slug of slugs) expect(slug).toMatch(/^same-name(-[a-z0-9]{6})?$/);
  });

  test('lets one of two requests for the same address win', async () => {
    const twins = await Promise.allSettled([
      createWorkspace(ctx, order('twin@example.com')),
      createWorkspace(ctx, order('Twin@example.com')),
    ]);
    expect(twins.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('never hands out the slug of the service itself', async () => {
    const { slug } = await createWorkspace(ctx, order('eve@example.com', 'no-reply'));
    expect(slug).toMatch(/^no-reply-/);
  });
});
