import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { findDomain } from '../../src/domains/domain-store.js';

describe('markDomainVerified', () => {
  let ctx: Context;
  let now = new Date('2026-11-21T10:00:00.000Z');

  beforeAll(async () => {
    ctx = await openTestContext({ now: () => now });
  });
  afterAll(() => closeTestContext(ctx));

  test('verifies the domain, and keeps the original time when called again', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const { id } = await createDomain(ctx, operator, workspaceId, `first-${newId()}.example`);
    const verified = await markDomainVerified(ctx, id);
    expect(verified).toMatchObject({ id, status: 'verified', verifiedAt: now });
    expect(await findDomain(ctx.db, workspaceId, id)).toEqual(verified);
    now = new Date('2026-11-22T10:00:00.000Z');
    expect(await markDomainVerified(ctx, id)).toEqual(verified);
  });

  test('returns null for an unknown id', async () => {
    expect(await markDomainVerified(ctx, newId())).toBeNull();
  });

  test('verifies a name for only one workspace, even with concurrent requests', async () => {
    const workspaces = await Promise.all(Array.from({ length: 5 }, () => createTestWorkspace(ctx)));
    const name = `race-${newId()}.example`;
    const domains = await Promise.all(
      workspaces.map(({ workspaceId }) => createDomain(ctx, operator, workspaceId, name)),
    );
    const results = await Promise.allSettled(domains.map(({ id }) => markDomainVerified(ctx, id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const stored = await Promise.all(domains.map(({ workspaceId, id }) => findDomain(ctx.db, workspaceId, id)));
    expect(stored.filter((domain) => domain?.status === 'verified')).toHaveLength(1);
  });
});
