import { type Context, findWorkspace, migrateDatabase, newId } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { createSchemaBefore } from './create-schema-before.js';

describe('the migration 0004-account-verification', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'it replaces the schema with an older one' });
  });
  afterAll(() => closeTestContext(ctx));

  test('counts existing accounts as verified, and keeps their reset links', async () => {
    await createSchemaBefore(ctx, '0004');
    const [userId, workspaceId] = [newId(), newId()];
    await ctx.db('users').insert({ id: userId, email: 'ada@example.com', password_hash: 'hash' });
    await ctx.db('workspaces').insert({ id: workspaceId, name: 'Acme', slug: 'acme', plan_id: 'free' });
    await ctx.db('memberships').insert({ workspace_id: workspaceId, user_id: userId, role: 'owner' });
    const expiresAt = new Date('2026-03-01T12:00:00.000Z');
    await ctx
      .db('password_resets')
      .insert({ token_hash: Buffer.from('token'), user_id: userId, expires_at: expiresAt });
    await migrateDatabase(ctx.config.databaseUrl);
    expect(await ctx.db('users').first('email_verified_at', 'signup_source')).toEqual({
      email_verified_at: expect.any(Date),
      signup_source: null,
    });
    expect(await findWorkspace(ctx.db, workspaceId, 60)).toMatchObject({
      unverifiedOwner: null,
      hasSuppressions: false,
      allowance: { daily: 100 },
    });
    expect(await ctx.db('mailed_links').select('user_id', 'purpose', 'expires_at')).toEqual([
      { user_id: userId, purpose: 'reset_password', expires_at: expiresAt },
    ]);
  });
});
